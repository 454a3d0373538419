package io.parley.bench.worker;

import org.HdrHistogram.Histogram;

/**
 * The result of messages that were sent at a constant rate.
 *
 * @param latencies the times from when each message was due until the receiver had it, in nanoseconds
 * @param wakeUps the times by which the sending thread overslept, which the latencies include, in nanoseconds
 * @param sentPerSecond the rate at which the messages were sent; lower than requested if the sender was stopped
 */
public record PacedLatency(Histogram latencies, Histogram wakeUps, double sentPerSecond) {}

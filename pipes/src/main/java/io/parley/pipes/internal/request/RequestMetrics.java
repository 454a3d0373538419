package io.parley.pipes.internal.request;

import io.parley.pipes.internal.RequestCounters.Counter;

/** Counts the requests, responses and tasks of one group. Thread-safe. */
@FunctionalInterface
public interface RequestMetrics {

    void increment(Counter counter);
}

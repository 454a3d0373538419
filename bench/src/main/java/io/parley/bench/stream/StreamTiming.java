package io.parley.bench.stream;

import org.HdrHistogram.Histogram;

/**
 * The times of an exchange.
 *
 * @param count the number of blocks
 * @param nanos the time of all together
 * @param times the time of each block until its response; empty if blocks have none
 */
public record StreamTiming(long count, long nanos, Histogram times) {

    /** Returns the mean time of a block in nanoseconds. */
    public double meanNanos() {
        return (double) nanos / count;
    }
}

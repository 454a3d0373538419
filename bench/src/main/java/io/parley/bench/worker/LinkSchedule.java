package io.parley.bench.worker;

import java.util.concurrent.TimeUnit;

/** The times at which bytes arrive over a link with a rate and a delay. Times are those of {@link System#nanoTime}. Not thread-safe. */
final class LinkSchedule {

    /** A rate that takes no time. */
    static final long UNLIMITED = Long.MAX_VALUE;

    private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final long bytesPerSecond;
    private final long delayNanos;
    private long idleNanos;

    /**
     * Creates a schedule.
     *
     * @param startNanos the time at which the link can carry its first byte
     * @param delayNanos the time from the last bit of a chunk at the sender until it is at the receiver
     */
    LinkSchedule(long startNanos, long bytesPerSecond, long delayNanos) {
        this.idleNanos = startNanos;
        this.bytesPerSecond = bytesPerSecond;
        this.delayNanos = delayNanos;
    }

    /** Adds a chunk behind the earlier ones, and returns the time at which its last byte arrives. */
    long dueNanos(long sentNanos, int bytes) {
        long start = sentNanos - idleNanos > 0 ? sentNanos : idleNanos;
        idleNanos = start + bytes * NANOS_PER_SECOND / bytesPerSecond;
        return idleNanos + delayNanos;
    }
}

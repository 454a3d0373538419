package io.parley.common.internal;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Delays that double from 50 ms up to 5 s. Each is reduced by up to a half at random, so that peers do not retry in waves.
 * Not thread-safe.
 */
public final class Backoff {

    private static final long FIRST_NANOS = Duration.ofMillis(50).toNanos();
    private static final long LAST_NANOS = Duration.ofSeconds(5).toNanos();

    private final RandomGenerator random;
    private long next = FIRST_NANOS;

    /** Starts with the shortest delay. */
    public Backoff(RandomGenerator random) {
        this.random = random;
    }

    /** Returns the next delay, in nanoseconds. */
    public long nextNanos() {
        long delay = next / 2 + random.nextLong(next / 2);
        next = Math.min(LAST_NANOS, next * 2);
        return delay;
    }
}

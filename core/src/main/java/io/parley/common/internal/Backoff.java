package io.parley.common.internal;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Delays that double from a first value up to a maximum, by default from 50 ms to 5 s. Each is cut by up to a half at random, so that
 * peers do not come in waves. Not thread-safe.
 */
public final class Backoff {

    private static final Duration FIRST = Duration.ofMillis(50);
    private static final Duration MAX = Duration.ofSeconds(5);

    private final RandomGenerator random;
    private final long firstNanos;
    private final long maxNanos;
    private long next;

    /** Starts with the shortest default delay. */
    public Backoff(RandomGenerator random) {
        this(random, FIRST, MAX);
    }

    /** Starts with the delay {@code first}; no delay exceeds {@code max}. */
    public Backoff(RandomGenerator random, Duration first, Duration max) {
        this.random = random;
        this.firstNanos = first.toNanos();
        this.maxNanos = max.toNanos();
        this.next = Math.min(firstNanos, maxNanos);
    }

    /** Returns the next delay, in nanoseconds. */
    public long nextNanos() {
        long delay = next / 2 + random.nextLong(next - next / 2);
        next = Math.min(maxNanos, next * 2);
        return delay;
    }

    /** Returns the next delay. */
    public Duration next() {
        return Duration.ofNanos(nextNanos());
    }

    /** Continues with the first delay. */
    public void reset() {
        next = Math.min(firstNanos, maxNanos);
    }
}

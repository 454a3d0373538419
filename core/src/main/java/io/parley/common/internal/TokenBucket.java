package io.parley.common.internal;

import java.util.concurrent.TimeUnit;

/** A token bucket: a rate per second, and a burst of the tokens of two seconds. Not thread-safe. */
public final class TokenBucket {

    private static final int BURST_SECONDS = 2;
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long perSecond;
    private final double capacity;
    private double tokens;
    private long filledNanos;

    /**
     * Creates a full bucket.
     *
     * @param perSecond the rate, in tokens per second
     * @param nanoTime  the current time, with the meaning of {@link System#nanoTime()}
     */
    public TokenBucket(long perSecond, long nanoTime) {
        this.perSecond = perSecond;
        this.capacity = (double) perSecond * BURST_SECONDS;
        this.tokens = capacity;
        this.filledNanos = nanoTime;
    }

    /** Acquires one token. Returns whether there was one. */
    public boolean tryAcquire(long nanoTime) {
        return tryAcquire(1, nanoTime);
    }

    /** Acquires {@code count} tokens or none. Returns whether there were {@code count} tokens. */
    public boolean tryAcquire(int count, long nanoTime) {
        boolean acquired = has(count, nanoTime);
        if (acquired) {
            tokens -= count;
        }
        return acquired;
    }

    /** Returns whether {@code count} tokens are left. */
    public boolean has(int count, long nanoTime) {
        fill(nanoTime);
        return tokens >= count;
    }

    /**
     * Returns the time until a caller that waits may {@link #take} {@code count} tokens, in nanoseconds: until there are as many, or
     * until the bucket is full if it never has as many. Zero: now.
     */
    public long nanosUntil(long count, long nanoTime) {
        fill(nanoTime);
        double missing = Math.min((double) count, capacity) - tokens;
        return missing <= 0 ? 0 : Math.max(1, (long) Math.ceil(missing / perSecond * SECOND_NANOS));
    }

    /** Takes tokens, also more than there are: then later callers wait until these are there too. */
    public void take(long count) {
        tokens -= (double) count;
    }

    /** Puts tokens back that were taken and not used. */
    public void putBack(long count) {
        tokens = Math.min(capacity, tokens + (double) count);
    }

    private void fill(long nanoTime) {
        long elapsed = nanoTime - filledNanos;
        if (elapsed > 0) {
            tokens = Math.min(capacity, tokens + (double) elapsed / SECOND_NANOS * perSecond);
            filledNanos = nanoTime;
        }
    }

    /** Returns the maximum number of tokens that a bucket of this rate yields within {@code nanos} nanoseconds. */
    public static long maxWithin(int perSecond, long nanos) {
        return perSecond * (BURST_SECONDS + nanos / SECOND_NANOS + 1);
    }
}

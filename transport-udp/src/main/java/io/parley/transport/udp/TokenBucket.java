package io.parley.transport.udp;

import java.util.concurrent.TimeUnit;

/** Allows a rate, and two seconds' worth of it at once. For one thread. */
final class TokenBucket {

    private static final int BURST_SECONDS = 2;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final long perSecond;
    private long filledNanos;
    private long nanoTokens;

    /** A full one. */
    TokenBucket(int perSecond, long nowNanos) {
        this.perSecond = perSecond;
        this.filledNanos = nowNanos;
        this.nanoTokens = capacity();
    }

    /** Takes one if there is one. */
    boolean take(long nowNanos) {
        long elapsed = Math.max(0, Math.min(nowNanos - filledNanos, BURST_SECONDS * SECOND));
        nanoTokens = Math.min(capacity(), nanoTokens + elapsed * perSecond);
        filledNanos = nowNanos;
        if (nanoTokens < SECOND) {
            return false;
        }
        nanoTokens -= SECOND;
        return true;
    }

    /** The most that can be taken within that time. */
    static long most(int perSecond, long withinNanos) {
        return perSecond * (BURST_SECONDS + withinNanos / SECOND + 1);
    }

    private long capacity() {
        return BURST_SECONDS * SECOND * perSecond;
    }
}

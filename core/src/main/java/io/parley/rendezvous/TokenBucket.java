package io.parley.rendezvous;

/** A rate, with a burst of what two seconds allow. Not thread-safe. */
final class TokenBucket {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final int BURST_SECONDS = 2;

    private final long perSecond;
    private double tokens;
    private long filledAt;

    TokenBucket(long perSecond, long nanoTime) {
        this.perSecond = perSecond;
        this.tokens = (double) perSecond * BURST_SECONDS;
        this.filledAt = nanoTime;
    }

    boolean has(int count, long nanoTime) {
        double added = (nanoTime - filledAt) / NANOS_PER_SECOND * perSecond;
        if (added > 0) {
            tokens = Math.min((double) perSecond * BURST_SECONDS, tokens + added);
            filledAt = nanoTime;
        }
        return tokens >= count;
    }

    void take(int count) {
        tokens -= count;
    }
}

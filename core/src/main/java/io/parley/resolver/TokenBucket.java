package io.parley.resolver;

/** A rate, with a burst of what one second and one burst allow. Not thread-safe. */
final class TokenBucket {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final int BURST_SECONDS = 2;

    private final int perSecond;
    private double tokens;
    private long filledAt;

    TokenBucket(int perSecond, long nanoTime) {
        this.perSecond = perSecond;
        this.tokens = (double) perSecond * BURST_SECONDS;
        this.filledAt = nanoTime;
    }

    boolean tryTake(long nanoTime) {
        double added = (nanoTime - filledAt) / NANOS_PER_SECOND * perSecond;
        if (added > 0) {
            tokens = Math.min((double) perSecond * BURST_SECONDS, tokens + added);
            filledAt = nanoTime;
        }
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }
}

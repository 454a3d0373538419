package io.parley.common.internal;

import io.parley.common.Scheduler;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits the rate of each key, such as a peer or a host, and of all keys together. A full table evicts the key that was
 * idle for the longest time. The total rate also bounds an attacker that invents keys to evict others. Thread-safe.
 *
 * @param <K> the key
 */
public final class KeyedRateLimiter<K> {

    private final long perSecond;
    private final Scheduler scheduler;
    private final TokenBucket total;
    private final Map<K, TokenBucket> buckets;

    /**
     * Creates a limiter.
     *
     * @param perSecond      the rate of one key
     * @param totalPerSecond the rate of all keys together
     * @param maxKeys        the maximum number of keys in the table
     * @param scheduler      the source of time
     */
    public KeyedRateLimiter(long perSecond, long totalPerSecond, int maxKeys, Scheduler scheduler) {
        this.perSecond = perSecond;
        this.scheduler = scheduler;
        this.total = new TokenBucket(totalPerSecond, scheduler.nanoTime());
        this.buckets = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, TokenBucket> eldest) {
                return size() > maxKeys;
            }
        };
    }

    /** Acquires one token of the key and of the total. Returns whether both had one. */
    public boolean tryAcquire(K key) {
        return tryAcquire(key, 1);
    }

    /**
     * Acquires {@code count} tokens of the key and of the total, or none. A key that has no tokens left uses none of the
     * total.
     *
     * @return whether both had {@code count} tokens
     */
    public synchronized boolean tryAcquire(K key, int count) {
        long now = scheduler.nanoTime();
        TokenBucket own = buckets.computeIfAbsent(key, absent -> new TokenBucket(perSecond, now));
        return own.has(count, now) && total.tryAcquire(count, now) && own.tryAcquire(count, now);
    }

    /** Returns the number of keys in the table. */
    public synchronized int size() {
        return buckets.size();
    }
}

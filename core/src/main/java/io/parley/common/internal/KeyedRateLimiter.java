package io.parley.common.internal;

import io.parley.common.Scheduler;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits the rate of each key, such as a peer or a host, and of all keys together. The key that was idle for longest is
 * evicted when the table is full; the total rate also bounds an attacker that makes up keys to evict others. Thread-safe.
 *
 * @param <K> the key
 */
public final class KeyedRateLimiter<K> {

    private final long perSecond;
    private final Scheduler scheduler;
    private final TokenBucket total;
    private final Map<K, TokenBucket> buckets;

    /**
     * @param perSecond      the rate of one key
     * @param totalPerSecond the rate of all keys together
     * @param maxKeys        the number of keys whose rates are kept
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

    /** Takes one token of the key and of the total; returns whether both had one. */
    public boolean tryAcquire(K key) {
        return tryAcquire(key, 1);
    }

    /**
     * Takes {@code count} tokens of the key and of the total, or none. A key without tokens costs the total nothing.
     *
     * @return whether both had as many
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

package io.parley.common.internal;

import io.parley.common.Scheduler;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The keys of the messages that were received in the last {@code retention}. The oldest is evicted when the filter is full.
 * Thread-safe.
 *
 * @param <K> the key of a message
 */
public final class DuplicateFilter<K> {

    private final int capacity;
    private final long retentionNanos;
    private final Scheduler scheduler;
    private final Map<K, Long> addedNanos = new LinkedHashMap<>();

    /**
     * @param capacity  the number of keys that are kept; {@link Integer#MAX_VALUE} if the caller bounds their rate
     * @param retention how long a key is kept
     */
    public DuplicateFilter(int capacity, Duration retention, Scheduler scheduler) {
        this.capacity = capacity;
        this.retentionNanos = retention.toNanos();
        this.scheduler = scheduler;
    }

    /** Returns whether the key was added within the retention time. */
    public synchronized boolean contains(K key) {
        evict(scheduler.nanoTime(), capacity);
        return addedNanos.containsKey(key);
    }

    /** Adds the key; returns whether it was absent. */
    public synchronized boolean add(K key) {
        long now = scheduler.nanoTime();
        evict(now, capacity);
        if (addedNanos.containsKey(key)) {
            return false;
        }
        evict(now, capacity - 1);
        addedNanos.put(key, now);
        return true;
    }

    private void evict(long now, int max) {
        Iterator<Long> oldest = addedNanos.values().iterator();
        while (oldest.hasNext() && (now - oldest.next() >= retentionNanos || addedNanos.size() > max)) {
            oldest.remove();
        }
    }

    /** Returns the number of keys, expired ones included. */
    public synchronized int size() {
        return addedNanos.size();
    }
}

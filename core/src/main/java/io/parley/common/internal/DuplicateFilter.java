package io.parley.common.internal;

import io.parley.common.Scheduler;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The keys of the messages that were received within the last {@code retention}. A full filter evicts its oldest key.
 * Thread-safe.
 *
 * @param <K> the key of a message. Comparable, because its sender chooses it: a hash table finds comparable keys of one hash in logarithmic
 *     time, and searches all others
 */
public final class DuplicateFilter<K extends Comparable<K>> {

    private final int capacity;
    private final long retentionNanos;
    private final Scheduler scheduler;
    private final Map<K, Long> addedAtNanos = new LinkedHashMap<>();

    /**
     * Creates a filter.
     *
     * @param capacity  the maximum number of keys; {@link Integer#MAX_VALUE} if the caller limits their rate
     * @param retention the time for which a key is stored
     * @param scheduler the source of time
     */
    public DuplicateFilter(int capacity, Duration retention, Scheduler scheduler) {
        this.capacity = capacity;
        this.retentionNanos = retention.toNanos();
        this.scheduler = scheduler;
    }

    /** Returns whether the key was added within the retention time. */
    public synchronized boolean contains(K key) {
        evict(scheduler.nanoTime(), capacity);
        return addedAtNanos.containsKey(key);
    }

    /** Adds the key. Returns whether it was absent. */
    public synchronized boolean add(K key) {
        long now = scheduler.nanoTime();
        evict(now, capacity);
        if (addedAtNanos.containsKey(key)) {
            return false;
        }
        evict(now, capacity - 1);
        addedAtNanos.put(key, now);
        return true;
    }

    private void evict(long now, int max) {
        Iterator<Long> oldest = addedAtNanos.values().iterator();
        while (oldest.hasNext() && (now - oldest.next() >= retentionNanos || addedAtNanos.size() > max)) {
            oldest.remove();
        }
    }

    /** Returns the number of keys, including expired keys. */
    public synchronized int size() {
        return addedAtNanos.size();
    }
}

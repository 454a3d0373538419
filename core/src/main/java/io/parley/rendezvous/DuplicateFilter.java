package io.parley.rendezvous;

import io.parley.resolver.Scheduler;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** The messages to groups that were heard lately. The oldest are forgotten when there are too many. Thread-safe. */
final class DuplicateFilter {

    private final int capacity;
    private final long keptNanos;
    private final Scheduler alarms;
    private final Map<SignedGroupMessage.Key, Long> seenAt = new LinkedHashMap<>();

    /** @param kept as long as a message's time lets it pass */
    DuplicateFilter(int capacity, Duration kept, Scheduler alarms) {
        this.capacity = capacity;
        this.keptNanos = kept.toNanos();
        this.alarms = alarms;
    }

    synchronized boolean contains(SignedGroupMessage.Key key) {
        return seenAt.containsKey(key);
    }

    /** Remembers one that is verified; false when it was known. */
    synchronized boolean add(SignedGroupMessage.Key key) {
        long now = alarms.nanoTime();
        Iterator<Long> oldest = seenAt.values().iterator();
        while (oldest.hasNext() && (now - oldest.next() > keptNanos || seenAt.size() >= capacity)) {
            oldest.remove();
        }
        return seenAt.putIfAbsent(key, now) == null;
    }

    synchronized int size() {
        return seenAt.size();
    }
}

package io.parley.resolver;

import io.parley.id.PeerId;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** The propagated questions that were heard lately. The oldest are forgotten when there are too many. Thread-safe. */
final class DuplicateFilter {

    /** Ids are the asker's own, so that nobody can use up another's. */
    private record Key(PeerId asker, long id) {}

    private final int capacity;
    private final long keptNanos;
    private final Map<Key, Long> seenAt = new LinkedHashMap<>();

    DuplicateFilter(int capacity, Duration kept) {
        this.capacity = capacity;
        this.keptNanos = kept.toNanos();
    }

    /** Remembers it; false when it was known. */
    synchronized boolean add(PeerId asker, long id, long nanoTime) {
        forgetOld(nanoTime);
        return seenAt.putIfAbsent(new Key(asker, id), nanoTime) == null;
    }

    private void forgetOld(long nanoTime) {
        Iterator<Long> oldest = seenAt.values().iterator();
        while (oldest.hasNext()) {
            boolean old = nanoTime - oldest.next() >= keptNanos;
            if (!old && seenAt.size() < capacity) {
                return;
            }
            oldest.remove();
        }
    }

    synchronized int size() {
        return seenAt.size();
    }
}

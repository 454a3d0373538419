package io.parley.group.internal.view;

import io.parley.common.Scheduler;
import io.parley.group.internal.view.TreeMessage.Gossip;
import io.parley.rendezvous.internal.SignedGroupMessage;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last messages of a group, which neighbors may request. A full cache evicts the oldest message; expired ones are evicted by the
 * next call. Not thread-safe.
 */
final class GossipCache {

    /** Keys, addresses and the entry, approximately. */
    private static final int ENTRY_BYTES = 512;

    private record Entry(Gossip gossip, long addedNanos) {}

    private final long maxBytes;
    private final long timeNanos;
    private final Scheduler scheduler;
    private final Map<SignedGroupMessage.Key, Entry> entries = new LinkedHashMap<>();
    private long bytes;

    GossipCache(long maxBytes, Duration time, Scheduler scheduler) {
        this.maxBytes = maxBytes;
        this.timeNanos = time.toNanos();
        this.scheduler = scheduler;
    }

    /** Adds a message whose key the cache does not contain. */
    void add(Gossip gossip) {
        bytes += bytes(gossip);
        entries.put(gossip.message().key(), new Entry(gossip, scheduler.nanoTime()));
        evict();
    }

    @Nullable
    Gossip get(SignedGroupMessage.Key key) {
        evict();
        Entry entry = entries.get(key);
        return entry == null ? null : entry.gossip();
    }

    private void evict() {
        long now = scheduler.nanoTime();
        Iterator<Entry> oldest = entries.values().iterator();
        while (oldest.hasNext()) {
            Entry entry = oldest.next();
            if (bytes <= maxBytes && now - entry.addedNanos() < timeNanos) {
                return;
            }
            bytes -= bytes(entry.gossip());
            oldest.remove();
        }
    }

    /** Returns the memory of a message, which has its body twice. */
    static int bytes(Gossip gossip) {
        return gossip.message().bytes().length + gossip.message().body().length + ENTRY_BYTES;
    }

    void clear() {
        entries.clear();
        bytes = 0;
    }
}

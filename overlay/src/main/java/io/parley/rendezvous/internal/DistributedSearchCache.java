package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryQuery;
import io.parley.id.GroupId;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Searches whose next page may still be asked for; the oldest are forgotten. Thread-safe. */
final class DistributedSearchCache {

    private static final int MAX_KEPT = 256;
    private static final long MAX_KEPT_BYTES = 32 << 20;
    private static final Duration KEPT = Duration.ofMinutes(1);

    private record Key(GroupId group, DiscoveryQuery query) {}

    private record CacheEntry(DistributedSearch lookup, long sinceNanos) {}

    private final Scheduler scheduler;
    private final Map<Key, CacheEntry> kept = new LinkedHashMap<>();

    DistributedSearchCache(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    synchronized void keep(IndexSearchRequest request, DistributedSearch lookup) {
        Key key = new Key(request.group(), request.query());
        kept.remove(key);
        kept.put(key, new CacheEntry(lookup, scheduler.nanoTime()));
        tidy();
    }

    synchronized @Nullable DistributedSearch find(IndexSearchRequest request) {
        tidy();
        CacheEntry one = kept.get(new Key(request.group(), request.query()));
        return one == null ? null : one.lookup();
    }

    private void tidy() {
        long now = scheduler.nanoTime();
        long bytes =
                kept.values().stream().mapToLong(one -> one.lookup().bytes()).sum();
        Iterator<CacheEntry> oldest = kept.values().iterator();
        while (oldest.hasNext()) {
            CacheEntry one = oldest.next();
            boolean old = now - one.sinceNanos() > KEPT.toNanos();
            if (!old && kept.size() <= MAX_KEPT && bytes <= MAX_KEPT_BYTES) {
                return;
            }
            bytes -= one.lookup().bytes();
            oldest.remove();
        }
    }
}

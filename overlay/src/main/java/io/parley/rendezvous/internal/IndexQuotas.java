package io.parley.rendezvous.internal;

import io.parley.id.PeerId;
import io.parley.store.internal.StoreKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Who has brought what into the index, so that nobody brings more than his quota and what clients have brought can be
 * spread again. Not thread-safe.
 */
final class IndexQuotas {

    /** @param home whether a client of this rendezvous has brought it */
    private record QuotaEntry(boolean home, long bytes, long expiresMillis) {}

    /** What one peer has brought. */
    private static final class PeerUsage {

        private final Map<StoreKey, QuotaEntry> entries = new HashMap<>();
        private long bytes;
        private long firstExpiry = Long.MAX_VALUE;

        private void put(StoreKey key, QuotaEntry holding) {
            remove(key);
            entries.put(key, holding);
            bytes += holding.bytes();
            firstExpiry = Math.min(firstExpiry, holding.expiresMillis());
        }

        private void remove(StoreKey key) {
            QuotaEntry old = entries.remove(key);
            bytes -= old == null ? 0 : old.bytes();
        }
    }

    private final Map<PeerId, PeerUsage> shares = new HashMap<>();
    private final Map<StoreKey, PeerId> bringers = new HashMap<>();

    int size() {
        return bringers.size();
    }

    boolean contains(StoreKey key) {
        return bringers.containsKey(key);
    }

    boolean isHome(StoreKey key) {
        PeerId bringer = bringers.get(key);
        PeerUsage share = bringer == null ? null : shares.get(bringer);
        QuotaEntry holding = share == null ? null : share.entries.get(key);
        return holding != null && holding.home();
    }

    /** Whether the peer may bring that, in place of what it has brought with this key before. */
    boolean hasRoom(PeerId peer, StoreKey key, long bytes, int maxEntries, long maxBytes, long nowMillis) {
        PeerUsage share = shares.get(peer);
        if (share == null) {
            return maxEntries > 0 && bytes <= maxBytes;
        }
        if (!hasRoom(share, key, bytes, maxEntries, maxBytes)) {
            expire(share, nowMillis);
        }
        return hasRoom(share, key, bytes, maxEntries, maxBytes);
    }

    private static boolean hasRoom(PeerUsage share, StoreKey key, long bytes, int maxEntries, long maxBytes) {
        QuotaEntry old = share.entries.get(key);
        int entries = share.entries.size() - (old == null ? 0 : 1);
        return entries < maxEntries && share.bytes - (old == null ? 0 : old.bytes()) + bytes <= maxBytes;
    }

    void put(PeerId peer, StoreKey key, boolean home, long bytes, long expiresMillis) {
        PeerId before = bringers.put(key, peer);
        if (before != null && !before.equals(peer)) {
            remove(before, key);
        }
        shares.computeIfAbsent(peer, id -> new PeerUsage()).put(key, new QuotaEntry(home, bytes, expiresMillis));
    }

    private void remove(PeerId peer, StoreKey key) {
        shares.computeIfPresent(peer, (id, share) -> {
            share.remove(key);
            return share.entries.isEmpty() ? null : share;
        });
    }

    /** Gives back what has expired. */
    void expire(long nowMillis) {
        shares.values().removeIf(share -> {
            expire(share, nowMillis);
            return share.entries.isEmpty();
        });
    }

    private void expire(PeerUsage share, long nowMillis) {
        if (nowMillis < share.firstExpiry) {
            return;
        }
        long first = Long.MAX_VALUE;
        Iterator<Map.Entry<StoreKey, QuotaEntry>> entries =
                share.entries.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<StoreKey, QuotaEntry> entry = entries.next();
            if (entry.getValue().expiresMillis() <= nowMillis) {
                share.bytes -= entry.getValue().bytes();
                bringers.remove(entry.getKey());
                entries.remove();
            } else {
                first = Math.min(first, entry.getValue().expiresMillis());
            }
        }
        share.firstExpiry = first;
    }

    /** What clients of this rendezvous have brought. */
    List<StoreKey> home() {
        List<StoreKey> keys = new ArrayList<>();
        shares.values()
                .forEach(share -> share.entries.forEach((key, holding) -> {
                    if (holding.home()) {
                        keys.add(key);
                    }
                }));
        return keys;
    }
}

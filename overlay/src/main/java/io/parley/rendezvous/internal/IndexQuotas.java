package io.parley.rendezvous.internal;

import io.parley.id.PeerId;
import io.parley.store.internal.StoreKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The share of each peer in the index: limits what one peer may add, and lists the local entries for replication. The caller
 * must hold the lock of the index.
 */
final class IndexQuotas {

    /** @param local whether a client of this rendezvous, or this peer itself, has added the entry */
    private record QuotaEntry(boolean local, long bytes, long expiresMillis) {}

    /** The entries that one peer has added. */
    private static final class PeerUsage {

        private final Map<StoreKey, QuotaEntry> entries = new HashMap<>();
        private long bytes;
        private long firstExpirationMillis = Long.MAX_VALUE;

        private void put(StoreKey key, QuotaEntry entry) {
            remove(key);
            entries.put(key, entry);
            bytes += entry.bytes();
            firstExpirationMillis = Math.min(firstExpirationMillis, entry.expiresMillis());
        }

        private void remove(StoreKey key) {
            QuotaEntry removed = entries.remove(key);
            bytes -= removed == null ? 0 : removed.bytes();
        }
    }

    private final Map<PeerId, PeerUsage> usages = new HashMap<>();
    private final Map<StoreKey, PeerId> owners = new HashMap<>();

    int size() {
        return owners.size();
    }

    boolean contains(StoreKey key) {
        return owners.containsKey(key);
    }

    boolean isLocal(StoreKey key) {
        PeerId owner = owners.get(key);
        PeerUsage usage = owner == null ? null : usages.get(owner);
        QuotaEntry entry = usage == null ? null : usage.entries.get(key);
        return entry != null && entry.local();
    }

    /** Returns whether the peer may add the entry, in place of its own entry with this key if there is one. */
    boolean hasRoom(PeerId peer, StoreKey key, long bytes, int maxEntries, long maxBytes, long nowMillis) {
        PeerUsage usage = usages.get(peer);
        if (usage == null) {
            return maxEntries > 0 && bytes <= maxBytes;
        }
        if (!hasRoom(usage, key, bytes, maxEntries, maxBytes)) {
            expire(usage, nowMillis);
        }
        return hasRoom(usage, key, bytes, maxEntries, maxBytes);
    }

    private static boolean hasRoom(PeerUsage usage, StoreKey key, long bytes, int maxEntries, long maxBytes) {
        QuotaEntry replaced = usage.entries.get(key);
        int entries = usage.entries.size() - (replaced == null ? 0 : 1);
        return entries < maxEntries && usage.bytes - (replaced == null ? 0 : replaced.bytes()) + bytes <= maxBytes;
    }

    /** Charges the peer for an entry, and no longer the one that had it before. */
    void put(PeerId peer, StoreKey key, boolean local, long bytes, long expiresMillis) {
        PeerId previous = owners.put(key, peer);
        if (previous != null && !previous.equals(peer)) {
            remove(previous, key);
        }
        usages.computeIfAbsent(peer, id -> new PeerUsage()).put(key, new QuotaEntry(local, bytes, expiresMillis));
    }

    private void remove(PeerId peer, StoreKey key) {
        usages.computeIfPresent(peer, (id, usage) -> {
            usage.remove(key);
            return usage.entries.isEmpty() ? null : usage;
        });
    }

    /** Releases the quota of expired entries. */
    void expire(long nowMillis) {
        usages.values().removeIf(usage -> {
            expire(usage, nowMillis);
            return usage.entries.isEmpty();
        });
    }

    private void expire(PeerUsage usage, long nowMillis) {
        if (nowMillis < usage.firstExpirationMillis) {
            return;
        }
        long first = Long.MAX_VALUE;
        Iterator<Map.Entry<StoreKey, QuotaEntry>> entries =
                usage.entries.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<StoreKey, QuotaEntry> entry = entries.next();
            if (entry.getValue().expiresMillis() <= nowMillis) {
                usage.bytes -= entry.getValue().bytes();
                owners.remove(entry.getKey());
                entries.remove();
            } else {
                first = Math.min(first, entry.getValue().expiresMillis());
            }
        }
        usage.firstExpirationMillis = first;
    }

    /** Returns the keys of the local entries. */
    List<StoreKey> localKeys() {
        List<StoreKey> keys = new ArrayList<>();
        usages.values()
                .forEach(usage -> usage.entries.forEach((key, entry) -> {
                    if (entry.local()) {
                        keys.add(key);
                    }
                }));
        return keys;
    }
}

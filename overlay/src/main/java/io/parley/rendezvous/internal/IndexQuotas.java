package io.parley.rendezvous.internal;

import io.parley.common.internal.HostShares;
import io.parley.id.PeerId;
import io.parley.store.internal.StoreKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The share of each peer and of each host in the index: limits what one peer may add, shares a full index among the hosts, and lists
 * the local entries for replication. The caller must hold the lock of the index.
 */
final class IndexQuotas {

    /**
     * An entry in the index.
     *
     * @param local         whether a client of this rendezvous, or this peer itself, has added the entry
     * @param bytes         the size of the document, for which the peer is charged
     * @param storedBytes   the memory of the entry, for which the host is charged
     * @param number        increases with each new entry of a peer
     * @param replicator    another rendezvous that has sent the same local entry
     */
    private record QuotaEntry(
            boolean local,
            long bytes,
            long storedBytes,
            long expiresMillis,
            long number,
            @Nullable PeerId replicator) {}

    /** When an entry expires; the numbers of entries distinguish those that expire at the same time. */
    private record Expiration(long millis, long number) implements Comparable<Expiration> {

        private static Expiration of(QuotaEntry entry) {
            return new Expiration(entry.expiresMillis(), entry.number());
        }

        @Override
        public int compareTo(Expiration other) {
            int byTime = Long.compare(millis, other.millis);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    /** The entries that one peer has added. They count for the host from which it added the first one. */
    private static final class PeerUsage {

        private final String host;
        private final Map<StoreKey, QuotaEntry> entries = new HashMap<>();
        private final TreeMap<Long, StoreKey> byNumber = new TreeMap<>();
        private final NavigableSet<Expiration> expirations = new TreeSet<>();
        private int localEntries;
        private long bytes;
        private long storedBytes;
        private @Nullable Long absentSinceNanos;

        private PeerUsage(String host) {
            this.host = host;
        }

        private void put(StoreKey key, QuotaEntry entry) {
            entries.put(key, entry);
            byNumber.put(entry.number(), key);
            expirations.add(Expiration.of(entry));
            add(entry, 1);
        }

        private @Nullable QuotaEntry remove(StoreKey key) {
            QuotaEntry removed = entries.remove(key);
            if (removed != null) {
                byNumber.remove(removed.number());
                expirations.remove(Expiration.of(removed));
                add(removed, -1);
            }
            return removed;
        }

        /** Returns the key of an entry that has expired, or null. */
        private @Nullable StoreKey firstExpired(long nowMillis) {
            return expirations.isEmpty() || expirations.first().millis() > nowMillis
                    ? null
                    : byNumber.get(expirations.first().number());
        }

        private void add(QuotaEntry entry, int sign) {
            localEntries += entry.local() ? sign : 0;
            bytes += sign * entry.bytes();
            storedBytes += sign * entry.storedBytes();
        }
    }

    /** About the memory of the objects of this class for one entry, and of its key without its name, in bytes. */
    private static final int ENTRY_OVERHEAD_BYTES = 470;

    private final HostShares shares;
    private final Function<PeerId, String> hosts;
    private final Map<PeerId, PeerUsage> usages = new HashMap<>();
    private final Map<StoreKey, PeerId> owners = new HashMap<>();
    private long lastNumber;

    /**
     * Creates empty quotas.
     *
     * @param maxStoredBytes the size of all entries
     * @param hosts          returns the host of a connected peer
     */
    IndexQuotas(long maxStoredBytes, Function<PeerId, String> hosts) {
        this.shares = new HostShares(maxStoredBytes);
        this.hosts = hosts;
    }

    /** Returns the memory that the quota of an entry needs besides the entry, in bytes. */
    static long heapBytes(StoreKey key) {
        return ENTRY_OVERHEAD_BYTES + (long) Character.BYTES * key.name().length();
    }

    int size() {
        return owners.size();
    }

    boolean isLocal(StoreKey key) {
        QuotaEntry entry = entry(key);
        return entry != null && entry.local();
    }

    private @Nullable QuotaEntry entry(StoreKey key) {
        PeerId owner = owners.get(key);
        PeerUsage usage = owner == null ? null : usages.get(owner);
        return usage == null ? null : usage.entries.get(key);
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

    /**
     * Makes room for an entry of a peer, in place of its own entry with this key if there is one. If its host has less than an equal
     * share, evicts the latest entries of the largest host.
     *
     * @param evicted receives the keys of evicted entries
     * @return whether there is room
     */
    boolean makeRoom(PeerId peer, StoreKey key, long storedBytes, long nowMillis, Consumer<StoreKey> evicted) {
        QuotaEntry replaced = peer.equals(owners.get(key)) ? entry(key) : null;
        long added = storedBytes - (replaced == null ? 0 : replaced.storedBytes());
        String host = host(peer);
        if (added <= 0 || fits(host, added)) {
            return true;
        }
        expire(nowMillis);
        while (!fits(host, added)) {
            String largest = shares.largestHost().orElse(host);
            if (largest.equals(host) || !shares.isBelowShare(host, added)) {
                return false;
            }
            if (!evictFrom(largest, () -> fits(host, added), evicted)) {
                return false;
            }
        }
        return true;
    }

    private String host(PeerId peer) {
        PeerUsage usage = usages.get(peer);
        return usage == null ? hosts.apply(peer) : usage.host;
    }

    private boolean fits(String host, long added) {
        boolean fits = shares.tryAcquire(host, added);
        if (fits) {
            shares.release(host, added);
        }
        return fits;
    }

    /** Removes entries of the largest peer of a host, the latest first, until it has none or there is room. Returns whether any. */
    private boolean evictFrom(String host, BooleanSupplier hasRoom, Consumer<StoreKey> evicted) {
        PeerUsage largest = usages.values().stream()
                .filter(usage -> usage.host.equals(host))
                .max(Comparator.comparingLong(usage -> usage.storedBytes))
                .orElse(null);
        if (largest == null) {
            return false;
        }
        while (!largest.byNumber.isEmpty() && !hasRoom.getAsBoolean()) {
            StoreKey key = largest.byNumber.lastEntry().getValue();
            remove(key);
            evicted.accept(key);
        }
        return true;
    }

    /** Charges the peer and its host for an entry, and no longer the one that had it before. */
    void put(PeerId peer, StoreKey key, boolean local, long bytes, long storedBytes, long expiresMillis) {
        QuotaEntry replaced = peer.equals(owners.get(key)) ? entry(key) : null;
        String host = host(peer);
        remove(key);
        shares.acquire(host, storedBytes); // also above the share of the host: makeRoom was called before
        owners.put(key, peer);
        usages.computeIfAbsent(peer, id -> new PeerUsage(host))
                .put(
                        key,
                        new QuotaEntry(
                                local,
                                bytes,
                                storedBytes,
                                expiresMillis,
                                replaced == null ? ++lastNumber : replaced.number(),
                                null));
    }

    /** Records that another rendezvous has sent a local entry, so that its client may have moved there. */
    void setReplicator(StoreKey key, PeerId rendezvous) {
        PeerId owner = owners.get(key);
        QuotaEntry entry = entry(key);
        if (owner != null && entry != null) {
            Objects.requireNonNull(usages.get(owner))
                    .entries
                    .put(
                            key,
                            new QuotaEntry(
                                    entry.local(),
                                    entry.bytes(),
                                    entry.storedBytes(),
                                    entry.expiresMillis(),
                                    entry.number(),
                                    rendezvous));
        }
    }

    /** Removes an entry, and releases its quota. */
    void remove(StoreKey key) {
        PeerId owner = owners.remove(key);
        PeerUsage usage = owner == null ? null : usages.get(owner);
        if (usage != null) {
            release(usage, key);
            if (usage.entries.isEmpty()) {
                usages.remove(owner);
            }
        }
    }

    private void release(PeerUsage usage, StoreKey key) {
        QuotaEntry removed = usage.remove(key);
        if (removed != null) {
            shares.release(usage.host, removed.storedBytes());
        }
    }

    /**
     * Removes the local entries of peers that were absent at the calls of this method for {@code maxAbsenceNanos}. Entries that
     * another rendezvous has sent become its replicas.
     *
     * @return the keys of the removed entries
     */
    List<StoreKey> removeAbandoned(Predicate<PeerId> isPresent, long nowNanos, long maxAbsenceNanos) {
        List<StoreKey> abandoned = new ArrayList<>();
        usages.forEach((peer, usage) -> {
            if (usage.localEntries == 0 || isPresent.test(peer)) {
                usage.absentSinceNanos = null;
            } else if (usage.absentSinceNanos == null) {
                usage.absentSinceNanos = nowNanos;
            } else if (nowNanos - usage.absentSinceNanos >= maxAbsenceNanos) {
                usage.entries.forEach((key, entry) -> {
                    if (entry.local()) {
                        abandoned.add(key);
                    }
                });
            }
        });
        abandoned.removeIf(this::moveToReplicator);
        abandoned.forEach(this::remove);
        return abandoned;
    }

    private boolean moveToReplicator(StoreKey key) {
        QuotaEntry entry = entry(key);
        if (entry == null || entry.replicator() == null) {
            return false;
        }
        put(entry.replicator(), key, false, entry.bytes(), entry.storedBytes(), entry.expiresMillis());
        return true;
    }

    /** Releases the quota of expired entries. */
    void expire(long nowMillis) {
        usages.values().removeIf(usage -> {
            expire(usage, nowMillis);
            return usage.entries.isEmpty();
        });
    }

    private void expire(PeerUsage usage, long nowMillis) {
        for (StoreKey key = usage.firstExpired(nowMillis); key != null; key = usage.firstExpired(nowMillis)) {
            owners.remove(key);
            release(usage, key);
        }
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

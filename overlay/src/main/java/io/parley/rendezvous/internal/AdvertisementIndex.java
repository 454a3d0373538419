package io.parley.rendezvous.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.internal.RemoteIndex;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.store.StoreLimits;
import io.parley.store.internal.AdvertisementStore;
import io.parley.store.internal.PutOutcome;
import io.parley.store.internal.StoreAttribute;
import io.parley.store.internal.StoreEntry;
import io.parley.store.internal.StoreKey;
import io.parley.store.internal.StoreQuery;
import io.parley.store.internal.StoreResult;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;

/** The advertisements that a rendezvous keeps, in memory; all of them verified before. Thread-safe. */
final class AdvertisementIndex implements AutoCloseable {

    /**
     * What became of an advertisement.
     *
     * @param outcome of putting it into the index
     * @param entry   the newest, which is there now
     * @param before  what the one before could be found by
     */
    record PutResult(PutOutcome outcome, StoreEntry entry, List<StoreAttribute> before) {}

    /** A full index takes nothing new instead of giving up what others have published. */
    private static final int ROOM_FOR_OVERHEAD = 2;

    private static final int MAX_RESULTS = 1000;
    private static final int MAX_SCANNED_ROWS = 50_000;

    private final RendezvousLimits.IndexLimits limits;
    private final Clock clock;
    private final AdvertisementStore store;
    private final IndexQuotas holdings = new IndexQuotas();

    AdvertisementIndex(RendezvousLimits.IndexLimits limits, Scheduler scheduler, Executor executor) {
        this.limits = limits;
        this.clock = scheduler.clock();
        this.store = AdvertisementStore.inMemory(storeLimits(limits), scheduler, executor);
    }

    private static StoreLimits storeLimits(RendezvousLimits.IndexLimits limits) {
        StoreLimits usual = StoreLimits.DEFAULTS;
        return new StoreLimits(
                limits.maxEntries(),
                limits.maxBytes(),
                usual.maxTypeBytes(),
                512, // the publisher's id stands before the name
                64,
                usual.maxAttributeNameBytes(),
                usual.maxAttributeValueBytes(),
                65 << 10, // the envelope comes to the document
                MAX_RESULTS,
                MAX_SCANNED_ROWS,
                0,
                usual.cacheBytes());
    }

    /**
     * Takes an advertisement, unless a newer one is there.
     *
     * @param bringer whose quota it counts for
     * @param home    whether that is a client of this rendezvous, or this peer itself
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#LIMIT_EXCEEDED} naming the quota
     */
    synchronized PutResult put(SignedAdvertisement signed, PeerId bringer, boolean home) {
        StoreEntry entry = IndexEntryMapper.of(signed);
        long now = clock.millis();
        int maxEntries = home ? limits.maxAdvertisementsPerClient() : Math.max(1, limits.maxEntries() / 2);
        long maxBytes = home ? limits.maxBytesPerClient() : limits.maxBytes() / 2;
        long bytes = entry.documentBytes();
        if (!holdings.hasRoom(bringer, entry.key(), bytes, maxEntries, maxBytes, now)) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("quota of peer " + bringer + " is used up (expected: <= "
                    + maxEntries + " advertisements, <= " + maxBytes + " bytes)");
        }
        if (!holdings.contains(entry.key()) && isFull(entry)) {
            holdings.expire(now);
            if (isFull(entry)) {
                throw ErrorCode.LIMIT_EXCEEDED.exception("the index is full (expected: <= " + limits.maxEntries()
                        + " advertisements, <= " + limits.maxBytes() + " bytes)");
            }
        }
        StoreEntry before = store.get(entry.key()).orElse(null);
        boolean withdrawn = signed.expiration().compareTo(RemoteIndex.WITHDRAWAL_EXPIRATION) <= 0;
        PutOutcome outcome = store.put(withdrawn ? IndexEntryMapper.tombstone(entry) : entry);
        // What a client of this rendezvous has brought stays its own until another one has something newer of it.
        boolean brought =
                outcome.isStored() || (outcome == PutOutcome.UNCHANGED && (home || !holdings.isHome(entry.key())));
        if (brought) {
            holdings.put(bringer, entry.key(), home, bytes, entry.expiresMillis());
        }
        return before == null
                ? new PutResult(outcome, entry, List.of())
                : new PutResult(outcome, outcome == PutOutcome.STALE ? before : entry, before.attributes());
    }

    private boolean isFull(StoreEntry entry) {
        return holdings.size() >= limits.maxEntries()
                || store.sizeBytes() + (long) ROOM_FOR_OVERHEAD * entry.documentBytes() > limits.maxBytes();
    }

    /** Gives back the quota of what has expired. */
    synchronized void expire() {
        holdings.expire(clock.millis());
    }

    /** What clients of this rendezvous, and it itself, have published. */
    synchronized List<StoreKey> home() {
        return holdings.home();
    }

    synchronized int size() {
        return holdings.size();
    }

    long sizeBytes() {
        return store.sizeBytes();
    }

    Optional<StoreEntry> get(StoreKey key) {
        return store.get(key);
    }

    /** The advertisement of who has published that one; empty when it is one, or is not known. */
    Optional<StoreEntry> publisher(StoreKey key) {
        return IndexEntryMapper.publisher(key).flatMap(store::get);
    }

    /** Nothing is parsed or verified here. */
    IndexSearchResult find(GroupId group, DiscoveryQuery query, int offset, int limit) {
        int documents = Math.min(limit, IndexSearchResult.MAX_DOCUMENTS);
        // What the store gives of many is in no order unless it is all of one value, so always as many are asked for.
        boolean ordered = query.attribute() == null || query.value().isExact();
        int wanted = ordered ? Math.min(MAX_RESULTS, offset + documents + 1) : MAX_RESULTS;
        List<StoreEntry> entries = live(new StoreQuery(group, query.type(), query.attribute(), query.value()), wanted);
        List<byte[]> page = new ArrayList<>();
        Set<StoreKey> publishers = new LinkedHashSet<>();
        int bytes = 0;
        int next = Math.min(offset, entries.size());
        while (next < entries.size() && page.size() < documents) {
            StoreEntry entry = entries.get(next);
            bytes += entry.documentBytes();
            if (bytes > IndexSearchResult.MAX_BYTES && !page.isEmpty()) {
                break;
            }
            page.add(entry.document());
            IndexEntryMapper.publisher(entry.key()).ifPresent(publishers::add);
            next++;
        }
        return new IndexSearchResult(
                page, peers(publishers, IndexSearchResult.MAX_ALL_BYTES - bytes), next < entries.size());
    }

    /** As many as wanted, if there are; what is withdrawn is not among them, and does not stand before them either. */
    private List<StoreEntry> live(StoreQuery query, int wanted) {
        int asked = wanted;
        while (true) {
            StoreResult result = store.find(query, asked);
            List<StoreEntry> live = result.entries().stream()
                    .filter(entry -> !IndexEntryMapper.isTombstone(entry))
                    .toList();
            boolean all = result.complete() || result.entries().size() < asked || asked >= MAX_RESULTS;
            if (all || live.size() >= wanted) {
                return live;
            }
            asked = Math.min(MAX_RESULTS, 2 * asked);
        }
    }

    private List<byte[]> peers(Set<StoreKey> publishers, int room) {
        List<byte[]> peers = new ArrayList<>();
        int left = room;
        for (StoreKey publisher : publishers) {
            StoreEntry peer = store.get(publisher).orElse(null);
            if (peer != null && peer.documentBytes() <= left) {
                left -= peer.documentBytes();
                peers.add(peer.document());
            }
        }
        return peers;
    }

    @Override
    public void close() {
        store.close();
    }
}

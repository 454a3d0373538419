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

/**
 * The index of a rendezvous, in memory: advertisements that were verified before. An entry is local if a client of this
 * rendezvous or this peer itself has published it; the others are replicas. Thread-safe.
 */
final class AdvertisementIndex implements AutoCloseable {

    /**
     * The result of a put.
     *
     * @param outcome            the outcome of the put
     * @param entry              the newest entry, which is in the index now
     * @param previousAttributes the attributes of the entry before, under which it was indexed
     */
    record PutResult(PutOutcome outcome, StoreEntry entry, List<StoreAttribute> previousAttributes) {}

    /**
     * The room that a new entry needs, as a multiple of its document. The index refuses an entry for which there is no room:
     * the store would evict those of other publishers.
     */
    private static final int ROOM_FACTOR = 2;

    private static final int MAX_RESULTS = 1000;
    private static final int MAX_SCANNED_ROWS = 50_000;

    private final RendezvousLimits.IndexLimits limits;
    private final Clock clock;
    private final AdvertisementStore store;
    private final IndexQuotas quotas = new IndexQuotas();

    AdvertisementIndex(RendezvousLimits.IndexLimits limits, Scheduler scheduler, Executor executor) {
        this.limits = limits;
        this.clock = scheduler.clock();
        this.store = AdvertisementStore.inMemory(storeLimits(limits), scheduler, executor);
    }

    private static StoreLimits storeLimits(RendezvousLimits.IndexLimits limits) {
        StoreLimits defaults = StoreLimits.DEFAULTS;
        return new StoreLimits(
                limits.maxEntries(),
                limits.maxBytes(),
                defaults.maxTypeBytes(),
                512, // the publisher's id precedes the name
                64,
                defaults.maxAttributeNameBytes(),
                defaults.maxAttributeValueBytes(),
                65 << 10, // the envelope adds to the document
                MAX_RESULTS,
                MAX_SCANNED_ROWS,
                0,
                defaults.cacheBytes());
    }

    /**
     * Adds an advertisement, unless the index has a newer version.
     *
     * @param sender the peer whose quota is charged
     * @param local  whether {@code sender} is a client of this rendezvous or this peer itself
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#LIMIT_EXCEEDED} naming the quota
     */
    synchronized PutResult put(SignedAdvertisement signed, PeerId sender, boolean local) {
        StoreEntry entry = IndexEntryMapper.of(signed);
        long now = clock.millis();
        int maxEntries = local ? limits.maxAdvertisementsPerClient() : Math.max(1, limits.maxEntries() / 2);
        long maxBytes = local ? limits.maxBytesPerClient() : limits.maxBytes() / 2;
        long bytes = entry.documentBytes();
        if (!quotas.hasRoom(sender, entry.key(), bytes, maxEntries, maxBytes, now)) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("quota of peer " + sender + " is used up (expected: <= "
                    + maxEntries + " advertisements, <= " + maxBytes + " bytes)");
        }
        if (!quotas.contains(entry.key()) && isFull(entry)) {
            quotas.expire(now);
            if (isFull(entry)) {
                throw ErrorCode.LIMIT_EXCEEDED.exception("the index is full (expected: <= " + limits.maxEntries()
                        + " advertisements, <= " + limits.maxBytes() + " bytes)");
            }
        }
        StoreEntry previous = store.get(entry.key()).orElse(null);
        boolean withdrawn = signed.expiration().compareTo(RemoteIndex.WITHDRAWAL_EXPIRATION) <= 0;
        PutOutcome outcome = store.put(withdrawn ? IndexEntryMapper.tombstone(entry) : entry);
        // A local entry stays local until another rendezvous sends a newer version of it.
        boolean charged =
                outcome.isStored() || (outcome == PutOutcome.UNCHANGED && (local || !quotas.isLocal(entry.key())));
        if (charged) {
            quotas.put(sender, entry.key(), local, bytes, entry.expiresMillis());
        }
        return previous == null
                ? new PutResult(outcome, entry, List.of())
                : new PutResult(outcome, outcome == PutOutcome.STALE ? previous : entry, previous.attributes());
    }

    private boolean isFull(StoreEntry entry) {
        return quotas.size() >= limits.maxEntries()
                || store.sizeBytes() + (long) ROOM_FACTOR * entry.documentBytes() > limits.maxBytes();
    }

    /** Releases the quota of expired entries. */
    synchronized void expire() {
        quotas.expire(clock.millis());
    }

    /** Returns the keys of the local entries. */
    synchronized List<StoreKey> localKeys() {
        return quotas.localKeys();
    }

    /** Returns the number of entries. */
    synchronized int size() {
        return quotas.size();
    }

    /** Returns the size of the entries with their attributes, in bytes. */
    long sizeBytes() {
        return store.sizeBytes();
    }

    Optional<StoreEntry> get(StoreKey key) {
        return store.get(key);
    }

    /** Returns the peer advertisement of an entry's publisher; empty if it is unknown or the entry itself is one. */
    Optional<StoreEntry> publisher(StoreKey key) {
        return IndexEntryMapper.publisher(key).flatMap(store::get);
    }

    /** Returns the documents that match, with the advertisements of their publishers. Does not parse or verify them. */
    IndexSearchResponse find(GroupId group, DiscoveryQuery query, int offset, int limit) {
        int maxDocuments = Math.min(limit, IndexSearchResponse.MAX_DOCUMENTS);
        // The store returns many results in no order unless all have one value, so each page has to request the same
        // number.
        boolean ordered = query.attribute() == null || query.value().isExact();
        int wanted = ordered ? Math.min(MAX_RESULTS, offset + maxDocuments + 1) : MAX_RESULTS;
        List<StoreEntry> entries = live(new StoreQuery(group, query.type(), query.attribute(), query.value()), wanted);
        List<byte[]> page = new ArrayList<>();
        Set<StoreKey> publishers = new LinkedHashSet<>();
        int bytes = 0;
        int next = Math.min(offset, entries.size());
        while (next < entries.size() && page.size() < maxDocuments) {
            StoreEntry entry = entries.get(next);
            bytes += entry.documentBytes();
            if (bytes > IndexSearchResponse.MAX_DOCUMENT_BYTES && !page.isEmpty()) {
                break;
            }
            page.add(entry.document());
            IndexEntryMapper.publisher(entry.key()).ifPresent(publishers::add);
            next++;
        }
        List<byte[]> peers = peers(publishers, IndexSearchResponse.MAX_TOTAL_BYTES - bytes);
        return new IndexSearchResponse(page, peers, next < entries.size(), 1);
    }

    /** Returns up to {@code wanted} entries without tombstones, also if tombstones precede them in the store. */
    private List<StoreEntry> live(StoreQuery query, int wanted) {
        int limit = wanted;
        while (true) {
            StoreResult result = store.find(query, limit);
            List<StoreEntry> live = result.entries().stream()
                    .filter(entry -> !IndexEntryMapper.isTombstone(entry))
                    .toList();
            boolean all = result.complete() || result.entries().size() < limit || limit >= MAX_RESULTS;
            if (all || live.size() >= wanted) {
                return live;
            }
            limit = Math.min(MAX_RESULTS, 2 * limit);
        }
    }

    private List<byte[]> peers(Set<StoreKey> publishers, int maxBytes) {
        List<byte[]> peers = new ArrayList<>();
        int left = maxBytes;
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

package io.parley.rendezvous.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.internal.RemoteIndex;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.store.StoreLimits;
import io.parley.store.internal.AdvertisementStore;
import io.parley.store.internal.PutOutcome;
import io.parley.store.internal.StoreAttribute;
import io.parley.store.internal.StoreEntry;
import io.parley.store.internal.StoreKey;
import io.parley.store.internal.StoreQuery;
import io.parley.store.internal.StoreResult;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;

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

    private static final int MAX_RESULTS = 1000;
    private static final int MAX_SCANNED_ROWS = 50_000;

    private final RendezvousLimits.IndexLimits limits;
    private final Scheduler scheduler;
    private final Duration maxClockSkew;
    private final Clock clock;
    private final RendezvousMetrics metrics;
    private final AdvertisementStore store;

    /** The minimum charge of an entry, so that no more than the maximum number of entries fit into the bytes. */
    private final long minEntryBytes;

    private final IndexQuotas quotas;

    /**
     * Creates an empty index.
     *
     * @param maxClockSkew how far in the future an advertisement may be issued
     * @param hosts        returns the host of a connected peer
     */
    AdvertisementIndex(
            RendezvousLimits.IndexLimits limits,
            Duration maxClockSkew,
            Scheduler scheduler,
            Executor executor,
            Function<PeerId, String> hosts,
            RendezvousMetrics metrics) {
        this.limits = limits;
        this.maxClockSkew = maxClockSkew;
        this.scheduler = scheduler;
        this.clock = scheduler.clock();
        this.metrics = metrics;
        this.store = AdvertisementStore.inMemory(storeLimits(limits), scheduler, executor);
        this.minEntryBytes = Math.max(1, limits.maxBytes() / limits.maxEntries());
        this.quotas = new IndexQuotas(Math.min(limits.maxBytes(), minEntryBytes * limits.maxEntries()), hosts);
    }

    private static StoreLimits storeLimits(RendezvousLimits.IndexLimits limits) {
        StoreLimits defaults = StoreLimits.DEFAULTS;
        return new StoreLimits(
                limits.maxEntries(),
                limits.maxBytes(),
                defaults.maxTypeBytes(),
                defaults.maxNameBytes(),
                64,
                defaults.maxAttributeNameBytes(),
                defaults.maxAttributeValueBytes(),
                65 << 10, // the envelope adds to the document
                MAX_RESULTS,
                MAX_SCANNED_ROWS,
                0,
                defaults.cacheBytes(),
                limits.maxBytes());
    }

    /**
     * Adds an advertisement, unless the index has a newer version. If the index is full, the latest additions of the host with the
     * most are evicted for a host with less than an equal share. So the index is as if that host had been there first, and what has
     * been found for long stays.
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
        StoreEntry previous = store.get(entry.key()).orElse(null);
        boolean withdrawn = signed.expiration().compareTo(RemoteIndex.WITHDRAWAL_EXPIRATION) <= 0;
        StoreEntry stored = withdrawn
                ? IndexEntryMapper.tombstone(entry, now + RemoteIndex.WITHDRAWAL_EXPIRATION.toMillis())
                : entry;
        long storedBytes = Math.max(minEntryBytes, stored.heapBytes() + IndexQuotas.heapBytes(stored.key()));
        // It was accepted while the clock of this peer was ahead, and would hide all versions until the clock is there
        // again.
        boolean isFromFuture = previous != null && previous.issuedMillis() > now + maxClockSkew.toMillis();
        boolean isOutdated = previous != null && !isFromFuture && previous.issuedMillis() > entry.issuedMillis();
        if (!isOutdated && !quotas.makeRoom(sender, entry.key(), storedBytes, now, this::evict)) {
            throw full();
        }
        if (isFromFuture) {
            store.remove(entry.key());
        }
        PutOutcome outcome = store.put(stored);
        if (outcome == PutOutcome.FULL) {
            quotas.remove(entry.key());
            throw full();
        }
        boolean isLocal = quotas.isLocal(entry.key());
        // A local entry stays local until another rendezvous sends a newer version of it.
        if (outcome.isStored() || (outcome == PutOutcome.UNCHANGED && (local || !isLocal))) {
            quotas.put(sender, entry.key(), local, bytes, storedBytes, stored.expiresMillis());
        } else if (outcome == PutOutcome.UNCHANGED) {
            quotas.setReplicator(entry.key(), sender);
        }
        return previous == null
                ? new PutResult(outcome, entry, List.of())
                : new PutResult(outcome, outcome == PutOutcome.STALE ? previous : entry, previous.attributes());
    }

    private ParleyException full() {
        return ErrorCode.LIMIT_EXCEEDED.exception("the index is full (expected: <= " + limits.maxEntries()
                + " advertisements, <= " + limits.maxBytes() + " bytes), and the host of the sender has its share");
    }

    private void evict(StoreKey key) {
        store.remove(key);
        metrics.increment(Counter.ADVERTISEMENTS_EVICTED);
    }

    /**
     * Removes the local entries of peers that have been absent for a time, except those that another rendezvous has sent as well:
     * their client has moved there.
     *
     * @param isPresent returns whether a peer may have local entries
     */
    synchronized void removeAbandoned(Predicate<PeerId> isPresent, Duration maxAbsence) {
        for (StoreKey key : quotas.removeAbandoned(isPresent, scheduler.nanoTime(), maxAbsence.toNanos())) {
            store.remove(key);
            metrics.increment(Counter.ADVERTISEMENTS_LAPSED);
        }
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

    /** Returns the peer advertisement of an entry's publisher; empty if it is unknown or withdrawn, or the entry itself is one. */
    Optional<StoreEntry> publisher(StoreKey key) {
        return IndexEntryMapper.publisher(key).flatMap(this::live);
    }

    private Optional<StoreEntry> live(StoreKey key) {
        return store.get(key).filter(entry -> !IndexEntryMapper.isTombstone(entry));
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
            StoreEntry peer = live(publisher).orElse(null);
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

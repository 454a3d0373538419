package io.parley.rendezvous.internal;

import io.parley.common.internal.KeyedRateLimiter;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.internal.Query;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Searches the index: at this peer; where one value is looked for, at a rendezvous that has to have it; and elsewhere from
 * one to the next. Thread-safe.
 */
final class IndexSearcher {

    private static final int MANY = 10;

    /** Rendezvous of a walk that are asked at the same time. */
    private static final int WALK_STEP = 8;

    private final RendezvousContext overlay;
    private final LeaseRegistry leases;
    private final PeerView view;
    private final AdvertisementIndex index;
    private final DistributedSearchCache lookups;
    private final KeyedRateLimiter<PeerId> walkRates;

    IndexSearcher(RendezvousContext overlay, LeaseRegistry leases, PeerView view, AdvertisementIndex index) {
        this.overlay = overlay;
        this.leases = leases;
        this.view = view;
        this.index = index;
        this.lookups = new DistributedSearchCache(overlay.scheduler());
        long perSecond = overlay.limits().index().walksPerSecond();
        this.walkRates = new KeyedRateLimiter<>(
                perSecond, MANY * perSecond, overlay.limits().lease().maxClients() + 1, overlay.scheduler());
    }

    CompletionStage<Optional<Message>> onQuery(Query query) {
        IndexSearchRequest request = IndexSearchRequest.read(query.body());
        CompletableFuture<IndexSearchResponse> reply;
        if (leases.allows(query.from(), request.group()) && !request.here()) {
            reply = find(query.from(), request);
        } else if (view.contains(query.from())) {
            reply = CompletableFuture.completedFuture(new IndexSearchResponse(own(request), 1));
        } else {
            throw overlay.stranger("peer " + query.from() + " has no lease here for group " + request.group());
        }
        overlay.metrics().increment(Counter.SEARCHES);
        return reply.thenApply(found -> Optional.of(found.write()));
    }

    private IndexSearchResult own(IndexSearchRequest request) {
        return index.find(request.group(), request.query(), request.offset(), request.limit());
    }

    /**
     * Looks everywhere.
     *
     * @param asker for whom
     */
    CompletableFuture<IndexSearchResponse> find(PeerId asker, IndexSearchRequest request) {
        boolean exact =
                request.query().attribute() != null && request.query().value().isExact();
        if (view.size() == 0) {
            return CompletableFuture.completedFuture(new IndexSearchResponse(own(request), 1));
        }
        if (exact) {
            List<PeerId> ranked = ranked(request);
            IndexSearchResult own = own(request);
            boolean isKeeper = ranked.remove(overlay.self());
            if (own.documents().size() >= request.limit() || own.more() || (isKeeper && isSome(own, request))) {
                return CompletableFuture.completedFuture(new IndexSearchResponse(own, 1));
            }
            return page(request, ranked, 1, true);
        }
        if (!walkRates.tryAcquire(asker, 1)) {
            overlay.metrics().increment(Counter.SEARCHES_THROTTLED);
            throw ErrorCode.BUSY.exception("more searches for patterns than "
                    + overlay.limits().index().walksPerSecond() + " a second");
        }
        overlay.metrics().increment(Counter.WALKS);
        List<PeerId> others = new ArrayList<>(view.peers());
        Collections.shuffle(others, overlay.scheduler().random());
        int most = Math.min(others.size(), overlay.limits().index().maxWalkPeers());
        return page(request, others.subList(0, most), WALK_STEP, false);
    }

    /** Those that have to have what is looked for, best first. */
    private List<PeerId> ranked(IndexSearchRequest request) {
        String attribute = String.valueOf(request.query().attribute());
        long item = ReplicaSelector.item(
                request.group(), attribute, request.query().value().text());
        return new ArrayList<>(view.ranking().first(overlay.limits().index().replicas(), item));
    }

    private boolean isSome(IndexSearchResult own, IndexSearchRequest request) {
        return !own.documents().isEmpty()
                || (request.offset() > 0 && !own(request.at(0, 1)).documents().isEmpty());
    }

    private CompletableFuture<IndexSearchResponse> page(
            IndexSearchRequest request, List<PeerId> members, int atATime, boolean untilFound) {
        DistributedSearch begun = request.offset() == 0 ? null : lookups.find(request);
        DistributedSearch lookup = begun != null
                ? begun
                : new DistributedSearch(overlay, request, allOwn(request), members, atATime, untilFound);
        return lookup.page(request.offset(), request.limit(), patience(request)).thenApply(found -> {
            if (found.more() && begun == null) {
                lookups.keep(request, lookup);
            }
            return new IndexSearchResponse(found, lookup.hasAsked() ? 2 : 1);
        });
    }

    private List<IndexSearchResult> allOwn(IndexSearchRequest request) {
        List<IndexSearchResult> pages = new ArrayList<>();
        int offset = 0;
        IndexSearchResult page;
        do {
            page = index.find(request.group(), request.query(), offset, IndexSearchResult.MAX_DOCUMENTS);
            pages.add(page);
            offset += page.documents().size();
        } while (page.more() && offset <= request.offset() + request.limit());
        return pages;
    }

    /** The asker shall have the answer before it stops waiting. */
    private static Duration patience(IndexSearchRequest request) {
        return request.patience().multipliedBy(4).dividedBy(5);
    }
}

package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryQuery;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.internal.Query;
import io.parley.resolver.internal.RemoteRateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Searches the index of all rendezvous: first at this peer. An exact value is then searched at the rendezvous that replicate
 * it; a pattern needs a walk. Thread-safe.
 */
final class IndexSearcher {

    /** The rate of all clients together, as a multiple of the rate of one client. */
    private static final int TOTAL_RATE_FACTOR = 10;

    /** Searches whose next page may still be requested. The oldest are evicted. Thread-safe. */
    private static final class SearchCache {

        private static final int MAX_SEARCHES = 256;
        private static final long MAX_BYTES = 32 << 20;
        private static final Duration RETENTION = Duration.ofMinutes(1);

        private record Key(GroupId group, DiscoveryQuery query) {}

        private record CachedSearch(DistributedSearch search, long sinceNanos) {}

        private final Scheduler scheduler;
        private final Map<Key, CachedSearch> searches = new LinkedHashMap<>();

        private SearchCache(Scheduler scheduler) {
            this.scheduler = scheduler;
        }

        private synchronized void put(IndexSearchRequest request, DistributedSearch search) {
            Key key = new Key(request.group(), request.query());
            searches.remove(key);
            searches.put(key, new CachedSearch(search, scheduler.nanoTime()));
            evict();
        }

        private synchronized @Nullable DistributedSearch get(IndexSearchRequest request) {
            evict();
            CachedSearch cached = searches.get(new Key(request.group(), request.query()));
            return cached == null ? null : cached.search();
        }

        private void evict() {
            long now = scheduler.nanoTime();
            long bytes = searches.values().stream()
                    .mapToLong(cached -> cached.search().bytes())
                    .sum();
            Iterator<CachedSearch> oldest = searches.values().iterator();
            while (oldest.hasNext()) {
                CachedSearch cached = oldest.next();
                boolean expired = now - cached.sinceNanos() > RETENTION.toNanos();
                if (!expired && searches.size() <= MAX_SEARCHES && bytes <= MAX_BYTES) {
                    return;
                }
                bytes -= cached.search().bytes();
                oldest.remove();
            }
        }
    }

    private final RendezvousContext context;
    private final LeaseRegistry leases;
    private final PeerView view;
    private final AdvertisementIndex index;
    private final SearchCache cache;
    private final RemoteRateLimiter walkRates;

    IndexSearcher(RendezvousContext context, LeaseRegistry leases, PeerView view, AdvertisementIndex index) {
        this.context = context;
        this.leases = leases;
        this.view = view;
        this.index = index;
        this.cache = new SearchCache(context.scheduler());
        long perSecond = context.limits().index().walksPerSecond();
        this.walkRates = context.rateLimiter(
                "searches for patterns",
                "walksPerSecond",
                perSecond,
                TOTAL_RATE_FACTOR * perSecond,
                context.limits().lease().maxClients() + 1);
    }

    /** Handles a search of a client, or the request of another rendezvous for the results of this one. */
    CompletionStage<Optional<Message>> onQuery(Query query) {
        IndexSearchRequest request = IndexSearchRequest.read(query.body());
        CompletableFuture<IndexSearchResponse> response;
        if (leases.allows(query.from(), request.group()) && !request.localOnly()) {
            response = find(query.from(), request);
        } else if (view.contains(query.from())) {
            response = CompletableFuture.completedFuture(findLocal(request));
        } else {
            throw context.unauthorized("peer " + query.from() + " has no lease here for group " + request.group());
        }
        context.metrics().increment(Counter.SEARCHES);
        return response.thenApply(found -> Optional.of(found.write()));
    }

    private IndexSearchResponse findLocal(IndexSearchRequest request) {
        return index.find(request.group(), request.query(), request.offset(), request.limit());
    }

    /**
     * Searches at this peer and at other rendezvous.
     *
     * @param client the peer whose rate is charged
     */
    CompletableFuture<IndexSearchResponse> find(PeerId client, IndexSearchRequest request) {
        boolean exact =
                request.query().attribute() != null && request.query().value().isExact();
        if (view.size() == 0) {
            return CompletableFuture.completedFuture(findLocal(request));
        }
        if (exact) {
            int replicas = context.limits().index().replicas();
            List<PeerId> ranked = ranked(request, 2 * replicas);
            IndexSearchResponse own = findLocal(request);
            boolean isReplica =
                    ranked.subList(0, Math.min(replicas, ranked.size())).contains(context.self());
            if (own.documents().size() >= request.limit() || own.more() || (isReplica && hasResults(own, request))) {
                return CompletableFuture.completedFuture(own);
            }
            ranked.remove(context.self());
            List<PeerId> failing = ranked.stream().filter(view::isFailing).toList();
            ranked.removeAll(failing);
            ranked.addAll(failing);
            return page(request, new DistributedSearch.Route(ranked, isReplica ? replicas - 1 : replicas, 1, true));
        }
        walkRates.acquire(client, 1).ifPresent(refusal -> {
            context.metrics().increment(Counter.SEARCHES_THROTTLED);
            throw ErrorCode.BUSY.exception(refusal.text());
        });
        context.metrics().increment(Counter.WALKS);
        List<PeerId> others = new ArrayList<>(view.peers());
        Collections.shuffle(others, context.scheduler().random());
        int count = Math.min(others.size(), context.limits().index().maxWalkPeers());
        return page(
                request,
                new DistributedSearch.Route(others.subList(0, count), count, DistributedSearch.MAX_CONCURRENCY, false));
    }

    /**
     * Returns the rendezvous that rank highest for the value that is searched. The first ones replicate it, and the next
     * instead of those that do not respond.
     */
    private List<PeerId> ranked(IndexSearchRequest request, int count) {
        String attribute = String.valueOf(request.query().attribute());
        long item = ReplicaSelector.item(
                request.group(), attribute, request.query().value().text());
        return new ArrayList<>(view.replicaSelector().select(count, item));
    }

    /** A page may be empty because it begins behind the last result. */
    private boolean hasResults(IndexSearchResponse page, IndexSearchRequest request) {
        return !page.documents().isEmpty()
                || (request.offset() > 0
                        && !findLocal(request.withPage(0, 1)).documents().isEmpty());
    }

    private CompletableFuture<IndexSearchResponse> page(IndexSearchRequest request, DistributedSearch.Route route) {
        DistributedSearch cached = request.offset() == 0 ? null : cache.get(request);
        DistributedSearch search =
                cached != null ? cached : new DistributedSearch(context, view, request, findAllLocal(request), route);
        return search.page(request.offset(), request.limit(), timeout(request)).thenApply(page -> {
            if (page.more() && cached == null) {
                cache.put(request, search);
            }
            return page;
        });
    }

    /** Returns the local results up to the end of the requested page. */
    private List<IndexSearchResponse> findAllLocal(IndexSearchRequest request) {
        List<IndexSearchResponse> pages = new ArrayList<>();
        int offset = 0;
        IndexSearchResponse page;
        do {
            page = index.find(request.group(), request.query(), offset, IndexSearchResponse.MAX_DOCUMENTS);
            pages.add(page);
            offset += page.documents().size();
        } while (page.more() && offset <= request.offset() + request.limit());
        return pages;
    }

    /** Returns a timeout after which the response still arrives before the timeouts of the sender and of the handler. */
    private static Duration timeout(IndexSearchRequest request) {
        Duration handlerTimeout = RendezvousContext.RESOLVER_LIMITS.handlerTimeout();
        Duration timeout = request.timeout().compareTo(handlerTimeout) < 0 ? request.timeout() : handlerTimeout;
        return timeout.multipliedBy(4).dividedBy(5);
    }
}

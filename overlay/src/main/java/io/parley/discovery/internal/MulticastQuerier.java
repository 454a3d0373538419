package io.parley.discovery.internal;

import io.parley.common.internal.RateLimitedLogger;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.resolver.internal.PropagateOptions;
import io.parley.resolver.internal.PropagatedQuery;
import io.parley.resolver.internal.PropagationScope;
import io.parley.resolver.internal.QueryResponse;
import io.parley.resolver.internal.Resolver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Queries the peers of the local network by multicast, and fetches further pages from each peer directly. */
final class MulticastQuerier {

    /** The timeout of a further page; not the remaining time, because a search that takes longer may join. */
    private static final Duration PAGE_TIMEOUT = Duration.ofSeconds(30);

    private final Resolver resolver;
    private final RemoteSearch search;
    private final DiscoveryContext context;
    private final RateLimitedLogger rejectionLog;

    /** @param rejectionLog shared by all searches, because it limits the rate */
    MulticastQuerier(Resolver resolver, RemoteSearch search, DiscoveryContext context, RateLimitedLogger rejectionLog) {
        this.resolver = resolver;
        this.search = search;
        this.context = context;
        this.rejectionLog = rejectionLog;
    }

    void start() {
        int missing = search.missing();
        if (missing == 0 || search.remaining().isZero()) {
            return;
        }
        // Not the remaining time, because a search that takes longer may join. The end of the last search ends the
        // query.
        PropagateOptions options = new PropagateOptions(
                context.limits().collectTimeout(),
                context.limits().maxMulticastResponses(),
                PropagationScope.LOCAL_NETWORK);
        PageRequest request =
                new PageRequest(search.query(), 0, Math.min(missing, DiscoveryMessages.MAX_PAGE_RESULTS), true);
        search.sources().onLocalNetworkQueried();
        PropagatedQuery query = resolver.propagate(
                DiscoveryQueryHandler.NAME, DiscoveryMessages.request(request), options, this::onResponse);
        if (search.addSource(query::closeAsync)) {
            query.whenDone().whenComplete((count, failure) -> {
                if (failure != null) {
                    search.sources().onLocalNetworkFailed(failure);
                }
                search.sourceDone();
            });
        } else {
            query.closeAsync();
        }
    }

    /** Called on the executor, one response at a time. */
    private void onResponse(QueryResponse response) {
        IndexPage page;
        try {
            page = read(response.from(), response.body());
        } catch (ParleyException e) {
            return;
        }
        search.accept(page.documents());
        page.next().ifPresent(next -> fetchFurtherPages(response.from(), next));
    }

    /** Decodes a page; logs and counts a failure. */
    private IndexPage read(PeerId from, Message response) {
        try {
            return DiscoveryMessages.readPage(response);
        } catch (ParleyException e) {
            rejectionLog.warn("Rejected response from peer {}: {}", from, e.getMessage());
            context.metrics().increment(Counter.ADVERTISEMENTS_REJECTED);
            throw e;
        }
    }

    private void fetchFurtherPages(PeerId peer, int offset) {
        PageFetcher fetcher =
                new PageFetcher((from, limit, remaining) -> query(peer, from, limit), search, context.executor());
        if (offset > 0 && search.addSource(fetcher::stop)) {
            fetcher.end().whenComplete((done, failure) -> search.sourceDone());
            fetcher.fetch(offset);
        }
    }

    private CompletableFuture<IndexPage> query(PeerId peer, int offset, int limit) {
        PageRequest request = new PageRequest(search.query(), offset, limit, true);
        CompletableFuture<Message> response =
                resolver.query(peer, DiscoveryQueryHandler.NAME, DiscoveryMessages.request(request), PAGE_TIMEOUT);
        CompletableFuture<IndexPage> page = response.thenApply(message -> read(peer, message));
        page.whenComplete((done, failure) -> response.cancel(false)); // if the page is cancelled
        return page;
    }
}

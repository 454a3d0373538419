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

/** Asks the peers that can be reached by propagation, each for more when it has more. */
final class MulticastQuerier {

    private final Resolver resolver;
    private final RemoteSearch search;
    private final DiscoveryContext context;
    private final RateLimitedLogger complaints;

    /** @param complaints of all searches, as each has an asking of its own */
    MulticastQuerier(Resolver resolver, RemoteSearch search, DiscoveryContext context, RateLimitedLogger complaints) {
        this.resolver = resolver;
        this.search = search;
        this.context = context;
        this.complaints = complaints;
    }

    void start() {
        int wanted = search.missing();
        Duration remaining = search.remaining();
        if (wanted == 0 || remaining.isZero()) {
            return;
        }
        Duration settle = context.limits().collectTimeout();
        PropagateOptions options = new PropagateOptions(
                remaining.compareTo(settle) < 0 ? remaining : settle,
                context.limits().maxMulticastResponses(),
                PropagationScope.LOCAL_NETWORK);
        PageRequest request =
                new PageRequest(search.query(), 0, Math.min(wanted, DiscoveryMessages.MAX_PAGE_RESULTS), true);
        search.sources().onLocalNetworkQueried();
        PropagatedQuery answers = resolver.propagate(
                DiscoveryQueryHandler.NAME, DiscoveryMessages.request(request), options, this::onAnswer);
        if (search.addSource(answers::closeAsync)) {
            answers.whenDone().whenComplete((count, failure) -> {
                if (failure != null) {
                    search.sources().onLocalNetworkFailed(failure);
                }
                search.sourceDone();
            });
        } else {
            answers.closeAsync();
        }
    }

    /** On the executor, one at a time. */
    private void onAnswer(QueryResponse answer) {
        IndexPage page;
        try {
            page = read(answer.from(), answer.body());
        } catch (ParleyException e) {
            return;
        }
        search.take(page.documents());
        page.next().ifPresent(next -> askOn(answer.from(), next));
    }

    /** Tells of what it throws, and counts it. */
    private IndexPage read(PeerId from, Message answer) {
        try {
            return DiscoveryMessages.readPage(answer);
        } catch (ParleyException e) {
            complaints.warn("What peer {} has answered is refused: {}", from, e.getMessage());
            context.metrics().increment(Counter.ADVERTISEMENTS_REJECTED);
            throw e;
        }
    }

    private void askOn(PeerId peer, int offset) {
        PageFetcher paging =
                new PageFetcher((from, limit, timeout) -> ask(peer, from, limit, timeout), search, context.executor());
        if (offset > 0 && search.addSource(paging::stop)) {
            paging.end().whenComplete((done, failure) -> search.sourceDone());
            paging.ask(offset);
        }
    }

    private CompletableFuture<IndexPage> ask(PeerId peer, int offset, int limit, Duration timeout) {
        PageRequest request = new PageRequest(search.query(), offset, limit, true);
        return resolver.query(peer, DiscoveryQueryHandler.NAME, DiscoveryMessages.request(request), timeout)
                .thenApply(answer -> read(peer, answer));
    }
}

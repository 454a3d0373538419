package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.endpoint.Endpoint;
import io.parley.id.PeerId;
import io.parley.resolver.internal.ResolverMetrics.Counter;
import java.util.Optional;

/** Limits the rate of received queries of one kind and counts the refused ones. Thread-safe. */
final class QueryRateLimiter {

    /** The rate of all hosts together, as a multiple of the rate of one peer. */
    private static final int TOTAL_FACTOR = 10;

    private final ResolverMetrics metrics;
    private final RemoteRateLimiter rates;

    /**
     * Creates a limiter.
     *
     * @param limitName the name of the limit, for errors
     * @param perSecond the rate of one peer
     */
    QueryRateLimiter(
            Endpoint endpoint, ResolverMetrics metrics, Scheduler scheduler, String limitName, long perSecond) {
        this.metrics = metrics;
        this.rates = new RemoteRateLimiter(
                "queries",
                limitName,
                perSecond,
                TOTAL_FACTOR * perSecond,
                endpoint.limits().maxKnownPeers(),
                peer -> RemoteHosts.of(endpoint, peer),
                scheduler);
    }

    /** Acquires a query of a peer. Returns the exceeded limit; empty if there is none. */
    Optional<String> acquire(PeerId from) {
        Optional<RemoteRateLimiter.Refusal> refusal = rates.acquire(from, 1);
        refusal.ifPresent(exceeded -> {
            metrics.increment(Counter.QUERIES_THROTTLED);
            if (exceeded.ofHost()) {
                metrics.increment(Counter.HOST_QUERIES_THROTTLED);
            }
        });
        return refusal.map(RemoteRateLimiter.Refusal::text);
    }
}

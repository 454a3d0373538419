package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.KeyedRateLimiter;
import io.parley.endpoint.Endpoint;
import io.parley.id.PeerId;
import io.parley.resolver.internal.ResolverMetrics.Counter;
import java.util.Optional;

/**
 * Limits the rate of received queries of one kind: of each peer, of each host, because identities cost nothing, and of all hosts
 * together. A peer above its rate uses nothing of the rate of its host, and a host above its rate nothing of the total. Counts
 * the refused queries. Thread-safe.
 */
final class QueryRateLimiter {

    /** The rate of one host, as a multiple of the rate of one peer. */
    private static final int HOST_FACTOR = 4;

    /** The rate of all hosts together, as a multiple of the rate of one peer. */
    private static final int TOTAL_FACTOR = 10;

    private final Endpoint endpoint;
    private final ResolverMetrics metrics;
    private final KeyedRateLimiter<PeerId> peers;
    private final KeyedRateLimiter<String> hosts;
    private final String peerFailure;
    private final String hostFailure;

    /**
     * Creates a limiter.
     *
     * @param limitName the name of the limit, for errors
     * @param perSecond the rate of one peer
     */
    QueryRateLimiter(
            Endpoint endpoint, ResolverMetrics metrics, Scheduler scheduler, String limitName, long perSecond) {
        this.endpoint = endpoint;
        this.metrics = metrics;
        int maxKeys = endpoint.limits().maxKnownPeers();
        // The limiter of hosts bounds the total, which this one would let a single host use up.
        this.peers = new KeyedRateLimiter<>(perSecond, maxKeys * perSecond, maxKeys, scheduler);
        this.hosts = new KeyedRateLimiter<>(HOST_FACTOR * perSecond, TOTAL_FACTOR * perSecond, maxKeys, scheduler);
        this.peerFailure =
                "queries of one peer: rate exceeded (expected: <= " + perSecond + " per second, " + limitName + ")";
        this.hostFailure =
                "queries of one host: rate exceeded (expected: <= " + HOST_FACTOR * perSecond + " per second, "
                        + HOST_FACTOR + " times " + limitName + "; <= " + TOTAL_FACTOR * perSecond + " of all hosts)";
    }

    /** Acquires a query of a peer. Returns the exceeded limit; empty if there is none. */
    Optional<String> acquire(PeerId from) {
        if (!peers.tryAcquire(from)) {
            metrics.increment(Counter.QUERIES_THROTTLED);
            return Optional.of(peerFailure);
        }
        if (!hosts.tryAcquire(RemoteHosts.of(endpoint, from))) {
            metrics.increment(Counter.QUERIES_THROTTLED);
            metrics.increment(Counter.HOST_QUERIES_THROTTLED);
            return Optional.of(hostFailure);
        }
        return Optional.empty();
    }
}

package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.KeyedRateLimiter;
import io.parley.id.PeerId;
import java.util.Optional;
import java.util.function.Function;

/**
 * Limits a rate of remote peers: of each peer, of each host, because identities cost nothing, and of all hosts together. A peer above
 * its rate uses nothing of the rate of its host, and a host above its rate nothing of the total. Thread-safe.
 */
public final class RemoteRateLimiter {

    /** The rate of one host, as a multiple of the rate of one peer. */
    private static final int HOST_FACTOR = 4;

    private final Function<PeerId, String> hostOf;
    private final KeyedRateLimiter<PeerId> peers;
    private final KeyedRateLimiter<String> hosts;
    private final Refusal peerRefusal;
    private final Refusal hostRefusal;

    /**
     * Creates a limiter.
     *
     * @param subject        names the limited requests in errors
     * @param limitName      names the limit in errors
     * @param perSecond      the rate of one peer
     * @param totalPerSecond the rate of all hosts together
     * @param maxKeys        the maximum number of peers, and of hosts, in the tables
     * @param hostOf         returns the host of a peer
     * @param scheduler      the source of time
     */
    public RemoteRateLimiter(
            String subject,
            String limitName,
            long perSecond,
            long totalPerSecond,
            int maxKeys,
            Function<PeerId, String> hostOf,
            Scheduler scheduler) {
        this.hostOf = hostOf;
        long hostPerSecond = HOST_FACTOR * perSecond;
        // The limiter of hosts bounds the total, which this one would let a single host use up.
        this.peers = new KeyedRateLimiter<>(perSecond, maxKeys * perSecond, maxKeys, scheduler);
        this.hosts = new KeyedRateLimiter<>(hostPerSecond, totalPerSecond, maxKeys, scheduler);
        this.peerRefusal = new Refusal(
                false,
                subject + " of one peer: rate exceeded (expected: <= " + perSecond + " per second, " + limitName + ")");
        this.hostRefusal = new Refusal(
                true,
                subject + " of one host: rate exceeded (expected: <= " + hostPerSecond + " per second, " + HOST_FACTOR
                        + " times " + limitName + "; <= " + totalPerSecond + " of all hosts)");
    }

    /**
     * A rate that is exceeded.
     *
     * @param ofHost whether it is the rate of the host, or of all hosts
     * @param text   names the limit and its value
     */
    public record Refusal(boolean ofHost, String text) {}

    /** Acquires tokens of a peer, its host and the total. Returns the rate that is exceeded; empty if there is none. */
    public Optional<Refusal> acquire(PeerId from, int count) {
        if (!peers.tryAcquire(from, count)) {
            return Optional.of(peerRefusal);
        }
        if (!hosts.tryAcquire(hostOf.apply(from), count)) {
            return Optional.of(hostRefusal);
        }
        return Optional.empty();
    }
}

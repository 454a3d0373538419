package io.parley.endpoint.internal;

import io.parley.common.internal.HostPrefix;
import io.parley.common.internal.HostShares;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits the connections of an endpoint, and shares them among the remote hosts. When all are in use, the least useful connection of
 * the host with the most gives way to one of a host below its share. Connections that this peer dials are counted and never
 * refused. Thread-safe.
 */
final class ConnectionLimiter {

    /** The links that are missed least come first. */
    private static final Comparator<Link> BY_USE = Comparator.comparing(Link::hasOutboundChannels)
            .thenComparing(Link::hasInboundChannels)
            .thenComparing(Comparator.comparingLong(Link::idleNanos).reversed());

    private final int max;
    private final EndpointMetrics metrics;
    private final HostShares shares;
    private final Map<String, Set<Link>> byHost = new HashMap<>();

    ConnectionLimiter(int max, EndpointMetrics metrics) {
        this.max = max;
        this.metrics = metrics;
        this.shares = new HostShares(max);
    }

    /** Counts a connection that is not refused. {@link #add} must follow. */
    void acquire(EndpointAddress address) {
        shares.acquire(HostPrefix.of(address.host()), 1);
    }

    /**
     * Counts an accepted connection. {@link #add} must follow.
     *
     * @throws ParleyException {@link ErrorCode#BUSY} if there is no room for one more of its host
     */
    void acquireAccepted(EndpointAddress address) {
        String host = HostPrefix.of(address.host());
        if (shares.tryAcquire(host, 1)) {
            return;
        }
        metrics.increment(Counter.CONNECTIONS_REFUSED);
        Link evicted = shares.isBelowShare(host, 1) ? removeLeastUseful(host) : null;
        if (evicted == null) {
            throw tooMany();
        }
        evicted.giveWay(tooMany());
    }

    private ParleyException tooMany() {
        long open = shares.used();
        return ErrorCode.BUSY.exception("maxConnections: " + open + " of " + max + " connections are open"
                + (open < max ? ", and the rest is for other hosts" : "") + "; raise EndpointLimits.maxConnections");
    }

    private synchronized @Nullable Link removeLeastUseful(String newcomer) {
        Link evicted = shares.largestHost()
                .filter(largest -> !largest.equals(newcomer))
                .flatMap(largest ->
                        byHost.getOrDefault(largest, Set.of()).stream().min(BY_USE))
                .orElse(null);
        if (evicted != null && removeLink(evicted)) {
            shares.transfer(hostOf(evicted), newcomer, 1);
        }
        return evicted;
    }

    /** Adds the link of a counted connection. It may give way to others from now on. */
    synchronized void add(Link link) {
        byHost.computeIfAbsent(hostOf(link), host -> new HashSet<>(2)).add(link);
    }

    /** Removes a link that is closed. */
    synchronized void remove(Link link) {
        if (removeLink(link)) {
            shares.release(hostOf(link), 1);
        }
    }

    private boolean removeLink(Link link) {
        Set<Link> links = byHost.get(hostOf(link));
        if (links == null || !links.remove(link)) {
            return false; // it has given way
        }
        if (links.isEmpty()) {
            byHost.remove(hostOf(link));
        }
        return true;
    }

    private static String hostOf(Link link) {
        return HostPrefix.of(link.remoteAddress().host());
    }
}

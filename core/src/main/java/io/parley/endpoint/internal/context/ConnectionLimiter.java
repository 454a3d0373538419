package io.parley.endpoint.internal.context;

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
public final class ConnectionLimiter {

    /** A connection that is counted. Thread-safe; what it returns may be outdated. */
    public interface Holder {

        EndpointAddress remoteAddress();

        /** Returns whether this peer has an open channel. */
        boolean hasOutboundChannels();

        /** Returns whether the remote peer has an open channel. */
        boolean hasInboundChannels();

        /** Returns for how long no messages were transferred, in steps of the keep-alive interval. */
        long idleNanos();

        /** Closes the connection, because another one needs its place. */
        void giveWay(ParleyException reason);
    }

    /** The connections that are missed least come first. */
    private static final Comparator<Holder> BY_USE = Comparator.comparing(Holder::hasOutboundChannels)
            .thenComparing(Holder::hasInboundChannels)
            .thenComparing(Comparator.comparingLong(Holder::idleNanos).reversed());

    private final int max;
    private final EndpointMetrics metrics;
    private final HostShares shares;
    private final Map<String, Set<Holder>> byHost = new HashMap<>();

    public ConnectionLimiter(int max, EndpointMetrics metrics) {
        this.max = max;
        this.metrics = metrics;
        this.shares = new HostShares(max);
    }

    /** Counts a connection that is not refused. {@link #add} must follow. */
    public void acquire(EndpointAddress address) {
        shares.acquire(HostPrefix.of(address.host()), 1);
    }

    /**
     * Counts an accepted connection. {@link #add} must follow.
     *
     * @throws ParleyException {@link ErrorCode#BUSY} if there is no room for one more of its host
     */
    public void acquireAccepted(EndpointAddress address) {
        String host = HostPrefix.of(address.host());
        if (shares.tryAcquire(host, 1)) {
            return;
        }
        metrics.increment(Counter.CONNECTIONS_REFUSED);
        Holder evicted = shares.isBelowShare(host, 1) ? removeLeastUseful(host) : null;
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

    private synchronized @Nullable Holder removeLeastUseful(String newcomer) {
        Holder evicted = shares.largestHost()
                .filter(largest -> !largest.equals(newcomer))
                .flatMap(largest ->
                        byHost.getOrDefault(largest, Set.of()).stream().min(BY_USE))
                .orElse(null);
        if (evicted != null && removeHolder(evicted)) {
            shares.transfer(hostOf(evicted), newcomer, 1);
        }
        return evicted;
    }

    /** Adds the holder of a counted connection. It may give way to others from now on. */
    public synchronized void add(Holder holder) {
        byHost.computeIfAbsent(hostOf(holder), host -> new HashSet<>(2)).add(holder);
    }

    /** Removes a connection that is closed. */
    public synchronized void remove(Holder holder) {
        if (removeHolder(holder)) {
            shares.release(hostOf(holder), 1);
        }
    }

    private boolean removeHolder(Holder holder) {
        Set<Holder> holders = byHost.get(hostOf(holder));
        if (holders == null || !holders.remove(holder)) {
            return false; // it has given way
        }
        if (holders.isEmpty()) {
            byHost.remove(hostOf(holder));
        }
        return true;
    }

    private static String hostOf(Holder holder) {
        return HostPrefix.of(holder.remoteAddress().host());
    }
}

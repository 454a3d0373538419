package io.parley.endpoint.internal.context;

import io.netty.util.NetUtil;
import io.parley.common.Scheduler;
import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Limits the dials to an address at which peers are not found. Any peer can claim any address, so invented peers could make this
 * peer connect to a third party without end. A dial counts when it starts, because a third party that does not respond lets many
 * dials begin before the first one fails. The dials of a single peer are not limited, because the dialer repeats its rounds with
 * growing delays, and neither are those of the peer that was found at the address last. A relayed address at which one peer was found is
 * that of a relay, where many peers may listen: it has a limit of its own. Thread-safe.
 */
public final class DialLimiter {

    /** The number of peers for which an address is dialed in vain, per {@link #PERIOD}. */
    public static final int MAX_PEERS = 6;

    /** The number of further dials of these peers, if there are several. */
    public static final int MAX_REPEATED = 4;

    /** The number of dials through a relay, of several rounds of some hundred peers: all reconnect when their relay is back. */
    public static final int MAX_RELAYED = 4096;

    public static final Duration PERIOD = Duration.ofMinutes(1);

    private static final int MAX_ADDRESSES = 1024;

    private final Scheduler scheduler;
    private final Map<EndpointAddress, Dials> notFound = newTable();

    /** The peer that was found last at an address. */
    private final Map<EndpointAddress, PeerId> found = newTable();

    public DialLimiter(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    private static <V> Map<EndpointAddress, V> newTable() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<EndpointAddress, V> eldest) {
                return size() > MAX_ADDRESSES;
            }
        };
    }

    /** Counts a dial to an address for a peer. Returns whether the limits permit it. */
    public synchronized boolean tryDial(EndpointAddress address, PeerId peer) {
        EndpointAddress key = server(address);
        PeerId foundPeer = found.get(normalized(address));
        if (peer.equals(foundPeer)) {
            return true;
        }
        Dials dials = notFound.get(key);
        if (dials == null || scheduler.nanoTime() - dials.startNanos >= PERIOD.toNanos()) {
            notFound.remove(key); // the new entry is the last one
            dials = new Dials(scheduler.nanoTime());
            notFound.put(key, dials);
        }
        return (foundPeer != null && address.isRelayed()) ? dials.tryAddRelayed() : dials.tryAdd(peer);
    }

    /** Notes that a peer was found at an address, so that its dials do not count. */
    public synchronized void onFound(EndpointAddress address, PeerId peer) {
        EndpointAddress key = normalized(address);
        found.remove(key);
        found.put(key, peer);
        Dials dials = notFound.get(server(address));
        if (dials != null) {
            dials.peers.remove(peer);
        }
    }

    /** Returns the address to which a dial connects. */
    private static EndpointAddress server(EndpointAddress address) {
        return normalized(address.isRelayed() ? address.relay() : address);
    }

    /** Returns the address with one form for each host, because an IPv6 address has many. */
    private static EndpointAddress normalized(EndpointAddress address) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address.host());
        if (bytes == null) {
            return address.withHost(address.host().toLowerCase(Locale.ROOT));
        }
        try {
            return address.withHost(InetAddress.getByAddress(bytes).getHostAddress());
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
        }
    }

    /** The dials to one address since a time: for peers that were not found there, and through a relay. */
    private static final class Dials {

        private final long startNanos;
        private final Set<PeerId> peers = new HashSet<>(2);
        private int repeated;
        private int relayed;

        Dials(long startNanos) {
            this.startNanos = startNanos;
        }

        boolean tryAddRelayed() {
            return relayed++ < MAX_RELAYED;
        }

        boolean tryAdd(PeerId peer) {
            if (!peers.contains(peer)) {
                return peers.size() < MAX_PEERS && peers.add(peer);
            }
            if (peers.size() > 1 && repeated >= MAX_REPEATED) {
                return false;
            }
            repeated += peers.size() > 1 ? 1 : 0;
            return true;
        }
    }
}

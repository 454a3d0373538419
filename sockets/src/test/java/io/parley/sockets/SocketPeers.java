package io.parley.sockets;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.codec.MessageLimits;
import io.parley.endpoint.EndpointLimits;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Two peers that find each other, each with its sockets. Closes them. */
final class SocketPeers implements AutoCloseable {

    static final Duration SOON = Duration.ofSeconds(20);

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();
    final Peer alice;
    final Peer bob;

    private SocketPeers(boolean tcp, MessageLimits ofAlice, MessageLimits ofBob) {
        String suffix = "-" + NUMBER.incrementAndGet();
        alice = start("alice" + suffix, tcp, ofAlice);
        bob = start("bob" + suffix, tcp, ofBob);
    }

    /** Starts two peers on the in-memory network. */
    static SocketPeers inMemory() {
        return inMemory(MessageLimits.DEFAULTS, MessageLimits.DEFAULTS);
    }

    /** Starts two peers on the in-memory network, with limits of messages. */
    static SocketPeers inMemory(MessageLimits ofAlice, MessageLimits ofBob) {
        return new SocketPeers(false, ofAlice, ofBob);
    }

    /** Starts two peers that are connected by TCP and TLS. */
    static SocketPeers tcp() {
        return new SocketPeers(true, MessageLimits.DEFAULTS, MessageLimits.DEFAULTS);
    }

    private Peer start(String name, boolean tcp, MessageLimits messages) {
        PeerBuilder builder = tcp ? Peer.loopback() : Peer.builder();
        builder.name(name)
                .multicast(true)
                .propagationTransport(network.propagationProvider())
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .messages(messages)
                        .closeTimeout(Duration.ofSeconds(2))
                        .build());
        if (!tcp) {
            builder.transport(network.transportProvider()).listen("mem://" + name);
        }
        Peer peer = builder.start();
        peers.add(peer);
        return peer;
    }

    /** Starts another peer on the in-memory network, at a host of its own. */
    Peer startAnother() {
        return start("carol-" + NUMBER.incrementAndGet(), false, MessageLimits.DEFAULTS);
    }

    PeerSockets ofAlice() {
        return PeerSockets.of(alice);
    }

    PeerSockets ofBob() {
        return PeerSockets.of(bob);
    }

    @Override
    public void close() {
        peers.forEach(Peer::close);
    }
}

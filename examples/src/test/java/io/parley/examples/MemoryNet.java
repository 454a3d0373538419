package io.parley.examples;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.transport.memory.InMemoryNetwork;
import java.util.ArrayDeque;
import java.util.Deque;

/** A simulated local network with peers in this JVM. */
public final class MemoryNet implements AutoCloseable {

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final Deque<Peer> peers = new ArrayDeque<>();

    /** Starts a peer whose name and address are the same. */
    public Peer start(String name) {
        return start(name, name);
    }

    /** Starts a peer at an address, with a name that other peers may have as well. */
    public Peer start(String address, String name) {
        Peer peer = builder(name).listen("mem://" + address).start();
        peers.push(peer);
        return peer;
    }

    /** Returns a builder of a peer on this network. The caller must close the peer. */
    public PeerBuilder builder(String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .propagationTransport(network.propagationProvider());
    }

    @Override
    public void close() {
        peers.forEach(Peer::close);
    }
}

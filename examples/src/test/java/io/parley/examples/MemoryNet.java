package io.parley.examples;

import io.parley.Peer;
import io.parley.transport.memory.InMemoryNetwork;
import java.util.ArrayDeque;
import java.util.Deque;

/** Peers of one local network, in this JVM. */
public final class MemoryNet implements AutoCloseable {

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final Deque<Peer> peers = new ArrayDeque<>();

    /** Starts a peer of that name, at an address that bears the same. */
    public Peer start(String name) {
        return start(name, name);
    }

    /** Starts a peer at an address of its own, under a name that others may bear as well. */
    public Peer start(String address, String name) {
        Peer peer = Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .propagationTransport(network.propagationProvider())
                .listen("mem://" + address)
                .start();
        peers.push(peer);
        return peer;
    }

    @Override
    public void close() {
        peers.forEach(Peer::close);
    }
}

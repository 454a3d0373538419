package io.parley.pipes;

import io.parley.Peer;
import io.parley.transport.TransportSecurity;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Peers over TCP that find each other, because alice is the rendezvous of bob and of all others. A proxy in front of her records all bytes.
 */
public final class RecordedPeersFixture implements AutoCloseable {

    public final Peer alice;
    public final Peer bob;
    public final RecordingProxy proxy;
    private final TransportSecurity security;
    private final List<Peer> others = new ArrayList<>();

    public RecordedPeersFixture(TransportSecurity security) throws IOException {
        this.security = security;
        alice = Peer.builder()
                .name("alice")
                .multicast(false)
                .listen("tcp://127.0.0.1:0")
                .security(security)
                .actAsRendezvous()
                .start();
        proxy = new RecordingProxy(alice);
        bob = edge("bob");
    }

    /** Starts another peer that reaches alice through the proxy, and does not listen. */
    public Peer edge(String name) {
        Peer peer = Peer.builder()
                .name(name)
                .multicast(false)
                .security(security)
                .rendezvous(proxy.address())
                .start();
        others.add(peer);
        return peer;
    }

    @Override
    public void close() {
        others.forEach(Peer::close);
        proxy.close();
        alice.close();
    }
}

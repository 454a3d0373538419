package io.parley.pipes;

import io.parley.Peer;
import io.parley.transport.TransportSecurity;
import java.io.IOException;

/** Two peers over TCP that find each other, because alice is the rendezvous of bob. A proxy between them records all bytes. */
final class RecordedPeersFixture implements AutoCloseable {

    final Peer alice;
    final Peer bob;
    final RecordingProxy proxy;

    RecordedPeersFixture(TransportSecurity security) throws IOException {
        alice = Peer.builder()
                .name("alice")
                .multicast(false)
                .listen("tcp://127.0.0.1:0")
                .security(security)
                .actAsRendezvous()
                .start();
        proxy = new RecordingProxy(alice);
        bob = Peer.builder()
                .name("bob")
                .multicast(false)
                .security(security)
                .rendezvous(proxy.address())
                .start();
    }

    @Override
    public void close() {
        bob.close();
        proxy.close();
        alice.close();
    }
}

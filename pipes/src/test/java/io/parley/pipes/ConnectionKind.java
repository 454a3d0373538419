package io.parley.pipes;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;

/** The connections of the peers of a test. */
enum ConnectionKind {
    MEMORY,
    TCP_PLAINTEXT,
    TCP_TLS;

    /** Returns the builder of a peer that listens on an address of its own. */
    PeerBuilder builder(InMemoryNetwork network) {
        PeerBuilder builder = Peer.builder().transport(network.transportProvider());
        return switch (this) {
            case MEMORY -> builder.listen("mem://any");
            case TCP_PLAINTEXT -> builder.listen("tcp://127.0.0.1:0").security(TransportSecurity.PLAINTEXT);
            case TCP_TLS -> builder.listen("tcp://127.0.0.1:0");
        };
    }
}

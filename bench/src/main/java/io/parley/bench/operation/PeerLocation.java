package io.parley.bench.operation;

import java.nio.file.Path;

/**
 * The home and the network surroundings of a peer.
 *
 * @param home the home folder of the peer
 * @param rendezvous the address of its rendezvous; empty if there is none and peers discover each other by multicast
 * @param port the port for multicast; for a rendezvous behind a proxy, the port of the proxy; 0 if other peers use the
 *     port that the rendezvous listens on
 */
public record PeerLocation(Path home, String rendezvous, int port) {

    /** Returns whether there is a rendezvous. */
    public boolean hasRendezvous() {
        return !rendezvous.isEmpty();
    }
}

package io.parley.bench.operation;

import java.nio.file.Path;

/**
 * Where a peer lives.
 *
 * @param home its folder
 * @param rendezvous the address of its rendezvous; empty when there is none and peers find each other by multicast
 * @param port for multicast, or, of a rendezvous, the port at which others reach it when something stands in front; 0 for
 *     the real one
 */
public record PeerLocation(Path home, String rendezvous, int port) {

    /** Whether there is a rendezvous. */
    public boolean hasRendezvous() {
        return !rendezvous.isEmpty();
    }
}

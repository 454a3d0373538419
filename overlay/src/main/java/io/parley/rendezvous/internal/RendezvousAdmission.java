package io.parley.rendezvous.internal;

import io.parley.id.PeerId;
import java.util.function.Predicate;

/**
 * Decides which peers a rendezvous serves. The predicates are evaluated at each request of a lease, and at each exchange with
 * another rendezvous, on the threads of the peer's own work: they must not block.
 *
 * @param clients whether a peer may have a lease
 * @param fellows whether another rendezvous may become a member of the peer view, or stay in it
 */
record RendezvousAdmission(Predicate<PeerId> clients, Predicate<PeerId> fellows) {

    /** Serves all peers. */
    static final RendezvousAdmission OPEN = new RendezvousAdmission(peer -> true, peer -> true);
}

package io.parley.rendezvous;

import io.parley.common.AsyncCloseable;
import io.parley.id.PeerId;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The role of a peer in the overlay beyond the local network. A client has a lease with one rendezvous at a time and searches
 * for another one when it loses the lease. A rendezvous serves clients and knows other rendezvous. The service covers all
 * groups of the peer. Closing it returns the lease. Thread-safe.
 */
public interface RendezvousService extends AsyncCloseable {

    /** Returns whether this peer acts as a rendezvous. */
    boolean isRendezvous();

    /** Returns the rendezvous that this peer has a lease with; if it is a rendezvous, the others in its peer view. */
    Set<PeerId> rendezvous();

    /** Returns the peers that have a lease with this peer; empty if it is not a rendezvous. */
    Set<PeerId> clients();

    /** Returns a snapshot of the state of this service, with its last failure. */
    RendezvousStatus status();

    /**
     * Returns a future that completes when the peer can publish and search beyond the local network: a rendezvous has granted
     * a lease, or this peer is a rendezvous. It completes only once, also if the lease is lost later.
     *
     * @return a future that fails with {@link io.parley.error.ErrorCode#CLOSED} if the peer is closed before
     */
    CompletableFuture<Void> whenOnline();
}

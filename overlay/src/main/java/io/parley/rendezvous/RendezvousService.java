package io.parley.rendezvous;

import io.parley.common.AsyncCloseable;
import io.parley.id.PeerId;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A peer's part in the overlay beyond the local network: as a client, which has a lease with one rendezvous at a time and
 * looks for another when that is lost, or as a rendezvous. Serves all groups of the peer. All methods may be called from any
 * thread. Closing gives the lease back.
 */
public interface RendezvousService extends AsyncCloseable {

    /** Whether this peer is a rendezvous itself. */
    boolean isRendezvous();

    /** The rendezvous that this peer has a lease with, or, as a rendezvous, the others that it knows. */
    Set<PeerId> rendezvous();

    /** The peers that have a lease with this one; empty when it is no rendezvous. */
    Set<PeerId> clients();

    /**
     * Returns a future that completes when the peer can publish and search beyond the local network: a rendezvous has granted
     * a lease, or this peer is a rendezvous. It completes only once, also if the lease is lost later.
     *
     * @return a future that fails with {@link io.parley.error.ErrorCode#CLOSED} if the peer is closed before
     */
    CompletableFuture<Void> whenOnline();

    /** What has been counted. */
    RendezvousMetrics metrics();
}

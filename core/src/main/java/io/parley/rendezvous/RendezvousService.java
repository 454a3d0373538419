package io.parley.rendezvous;

import io.parley.advertisement.AdvertisementSigner;
import io.parley.advertisement.AdvertisementVerifier;
import io.parley.discovery.RemoteIndex;
import io.parley.endpoint.AsyncCloseable;
import io.parley.endpoint.Endpoint;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.resolver.Propagator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A peer's part in the overlay beyond the local network: as a client, which has a lease with one rendezvous at a time and
 * looks for another when that is lost, or as a rendezvous. Serves all groups of the peer. All methods may be called from any
 * thread. Closing gives the lease back.
 */
public interface RendezvousService extends AsyncCloseable {

    /**
     * Starts the configuration of a service.
     *
     * @param signer   the peer's only one
     * @param executor runs what takes longer than a moment, several at a time; such as {@code Peer.callbackExecutor()}
     */
    static RendezvousBuilder builder(
            Endpoint endpoint,
            Identity identity,
            AdvertisementSigner signer,
            AdvertisementVerifier verifier,
            Executor executor) {
        return new RendezvousBuilder(endpoint, identity, signer, verifier, executor);
    }

    /** Whether this peer is a rendezvous itself. */
    boolean isRendezvous();

    /** The rendezvous that this peer has a lease with, or, as a rendezvous, the others that it knows. */
    Set<PeerId> rendezvous();

    /** The peers that have a lease with this one; empty when it is no rendezvous. */
    Set<PeerId> clients();

    /**
     * The peer is in the group from now on: it gets what is propagated there, and may use its index.
     *
     * @return completes when a rendezvous knows it, never while there is none; fails with
     *     {@link io.parley.error.ErrorCode#LIMIT_EXCEEDED} when there are too many groups, with
     *     {@link io.parley.error.ErrorCode#CLOSED} when the group is left or the service closed before
     */
    CompletableFuture<Void> join(GroupId group);

    /** The peer is no longer in the group. */
    void leave(GroupId group);

    /** The index of what the groups' peers publish. */
    RemoteIndex index();

    /**
     * Says something to the services of a group's peers, through the rendezvous, and hears what they say; as long as this
     * peer is in the group.
     */
    Propagator propagator(GroupId group);

    /** What has been counted. */
    RendezvousMetrics metrics();
}

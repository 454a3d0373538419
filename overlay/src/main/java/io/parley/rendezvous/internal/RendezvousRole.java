package io.parley.rendezvous.internal;

import io.parley.common.AsyncCloseable;
import io.parley.discovery.internal.RemoteIndex;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.rendezvous.RendezvousService;
import io.parley.resolver.internal.Propagator;
import java.util.concurrent.CompletableFuture;

/** The role of this peer in the overlay, as the groups of the peer use it. Thread-safe. */
public interface RendezvousRole extends RendezvousService {

    /**
     * The peer is in the group from now on: it gets what is propagated there, and may use its index.
     *
     * @return completes when a rendezvous knows it, never while there is none; fails with
     *     {@link io.parley.error.ErrorCode#LOCAL_LIMIT} when there are too many groups, with
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

    /** Returns the counters of this service. */
    RendezvousMetrics metrics();

    @Override
    default CompletableFuture<Void> whenOnline() {
        CompletableFuture<Void> online = new CompletableFuture<>();
        AsyncCloseable watch = index().onAvailable(() -> online.complete(null));
        whenClosed()
                .thenRun(() -> online.completeExceptionally(ErrorCode.CLOSED.exception("the peer has been closed")));
        online.whenComplete((done, failure) -> watch.closeAsync());
        return online;
    }
}

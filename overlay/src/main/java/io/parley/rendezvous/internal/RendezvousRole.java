package io.parley.rendezvous.internal;

import io.parley.discovery.internal.RemoteIndex;
import io.parley.id.GroupId;
import io.parley.rendezvous.RendezvousService;
import io.parley.resolver.internal.Propagator;
import java.util.concurrent.CompletableFuture;

/** The rendezvous service as the groups of the peer use it. Thread-safe. */
public interface RendezvousRole extends RendezvousService {

    /**
     * Joins a group: this peer receives its group messages and may use its index.
     *
     * @return a future that completes when a rendezvous knows that, never while there is none; it fails with
     *     {@link io.parley.error.ErrorCode#LOCAL_LIMIT} if there are too many groups, with
     *     {@link io.parley.error.ErrorCode#CLOSED} if the group is left or the service is closed before
     */
    CompletableFuture<Void> join(GroupId group);

    /** Leaves a group. */
    void leave(GroupId group);

    /** Returns the index of the advertisements of all groups. */
    RemoteIndex index();

    /** Returns the propagator of a group, which uses the rendezvous. It works while this peer is in the group. */
    Propagator propagator(GroupId group);

    /** Returns the counters of this service. */
    RendezvousMetrics metrics();
}

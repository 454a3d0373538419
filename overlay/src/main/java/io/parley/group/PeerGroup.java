package io.parley.group;

import io.parley.common.AsyncCloseable;
import io.parley.discovery.Discovery;
import io.parley.endpoint.Endpoint;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.resolver.internal.Resolver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A group that this peer has joined. What is published, asked and said in it is seen by its members alone. All methods may
 * be called from any thread. Closing leaves the group, which withdraws what this peer has published there.
 */
public interface PeerGroup extends AsyncCloseable {

    /** The group's id. */
    GroupId id();

    /** The group's name. */
    String name();

    /** The name that this peer shows to the others. */
    String peerName();

    /** What its members publish. */
    Discovery discovery();

    /** Questions to its members. */
    Resolver resolver();

    /**
     * Makes sure that the endpoint knows a way to a member, so that it can be connected to: from what was heard of it, or
     * by asking the others.
     *
     * @return completes when there is a connection or an address is known, not that anybody answers there; fails with
     *     {@link io.parley.error.ErrorCode#UNREACHABLE} when nobody knows one
     */
    CompletableFuture<Void> locate(PeerId peer);

    /** The endpoint of this peer. */
    Endpoint endpoint();

    /** Runs user callbacks, off the threads that serve connections. */
    Executor callbackExecutor();
}

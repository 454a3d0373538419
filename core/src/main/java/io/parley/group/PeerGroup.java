package io.parley.group;

import io.parley.discovery.Discovery;
import io.parley.endpoint.AsyncCloseable;
import io.parley.endpoint.Endpoint;
import io.parley.id.GroupId;
import io.parley.resolver.Resolver;
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

    /** The endpoint of this peer. */
    Endpoint endpoint();

    /** Runs user callbacks, off the threads that serve connections. */
    Executor callbackExecutor();
}

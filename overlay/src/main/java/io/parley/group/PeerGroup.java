package io.parley.group;

import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import io.parley.discovery.Discovery;
import io.parley.endpoint.Endpoint;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * A group that this peer has joined. Advertisements, queries and group messages of a group reach only its members. Closing
 * leaves the group, which withdraws the advertisements of this peer there. Thread-safe.
 *
 * <p>{@link #endpoint()}, {@link #rendezvous()}, {@link #workExecutor()}, {@link #scheduler()}, {@link #extension} and {@link #count}
 * are for services that are built on a group, such as pipes.
 */
public interface PeerGroup extends AsyncCloseable {

    /** Returns the group id. */
    GroupId id();

    /** Returns the group's name. */
    String name();

    /** Returns the name that this peer displays to other members. */
    String peerName();

    /** Returns the discovery of the group, which publishes and searches advertisements. */
    Discovery discovery();

    /**
     * Returns the view of the group: a part of its members, and messages to all of them. The first call opens it, and a later one returns
     * the same until that is closed. Closing the group closes it.
     *
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#CLOSED} if the group is closing
     */
    MemberView members();

    /**
     * Searches for an address of a group member, unless this peer is connected to it: in the local store, then at other peers. Connects to
     * a known address meanwhile.
     *
     * @return a future that completes when there is a connection or an address was found, whether a peer responds there
     *     or not; it fails with {@link io.parley.error.ErrorCode#UNREACHABLE} if no address was found
     */
    CompletableFuture<Void> locate(PeerId peer);

    /**
     * Returns a future that completes when a rendezvous knows that this peer is a member of the group, so that the peer receives group
     * messages and may use the index of the group. It never completes while there is no rendezvous.
     *
     * @return a future that fails with {@link io.parley.error.ErrorCode#CLOSED} if the peer leaves the group before
     */
    CompletableFuture<Void> whenOnline();

    /** Returns the endpoint of this peer. */
    Endpoint endpoint();

    /** Returns the role of this peer beyond the local network, which all its groups share. */
    RendezvousService rendezvous();

    /** Returns the executor of user callbacks. */
    Executor callbackExecutor();

    /**
     * Returns the executor of the peer's own work, which never shares threads with user callbacks. Tasks may wait for the disk.
     * They must not wait for other peers or call user code.
     */
    Executor workExecutor();

    /** Returns the source of time of this peer. A service that uses no other one can be tested in manual time. */
    Scheduler scheduler();

    /**
     * Returns the state that a service keeps for this group: one object per type, which the first call creates. Closing the group
     * closes it before anything else, and waits for it for a quarter of the close timeout at most. An object that was closed
     * earlier is replaced by the next call. For services that are built on a group; a type belongs to the service that defines it.
     *
     * @param factory called at most once per object, while other calls that create one wait. Must not block
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#CLOSED} if the group is closing, and has
     *     no open object of the type
     */
    <T extends AsyncCloseable> T extension(Class<T> type, Function<? super PeerGroup, ? extends T> factory);

    /**
     * Adds to a counter of a service. {@link io.parley.Peer#metrics()} has it for all groups of the peer together, those that were left
     * included.
     *
     * @param amount zero or more
     * @throws IllegalArgumentException if no {@link CounterProvider} has declared the counter
     */
    void count(Enum<?> counter, long amount);
}

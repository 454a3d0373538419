package io.parley.group;

import io.parley.common.AsyncCloseable;
import io.parley.endpoint.ServiceAddress;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The part of a group that one member knows, and messages to all members (groupcast). Each member is connected to a few others, its
 * neighbors, and knows some more; no peer knows all. Its memory and its messages therefore do not grow with the group, and neither do
 * those of a rendezvous, which only helps a new member to find the first one. Thread-safe.
 *
 * <p>A message goes from neighbor to neighbor along a tree, which forms with the first messages and repairs itself when members fail.
 * Delivery is best effort: each member gets a message once or, if links fail or are overloaded at that moment, perhaps not at all;
 * messages may arrive in any order. A message is signed by its sender, so no member on the way can change it. All members read it; the
 * group's name is no secret.
 *
 * <p>The protocols are HyParView (Leitão, Pereira, Rodrigues, DSN 2007) for the view and Plumtree (the same, "Epidemic broadcast trees",
 * SRDS 2007) for messages. Only members that have opened their view are in it.
 *
 * <pre>{@code
 * MemberView members = group.members();
 * members.listen(ServiceAddress.of("news"), (sender, message) -> show(sender, message));
 * members.whenConnected().join();
 * members.groupcast(ServiceAddress.of("news"), Message.of("text", "It rains."));
 * }</pre>
 */
public interface MemberView extends AsyncCloseable {

    /** Returns the members with which this one exchanges messages now. */
    Set<PeerId> neighbors();

    /** Returns the neighbors, and other members that this one knows. Some of the others may have left. */
    Set<PeerId> members();

    /**
     * Waits for a neighbor.
     *
     * @return a future that completes when this member has a neighbor, immediately if it has one, otherwise on a thread of the peer's own
     *     work, which must not be blocked; it fails with {@link io.parley.error.ErrorCode#CLOSED} if the view closes. It does not complete
     *     while no other member has opened its view
     */
    CompletableFuture<Void> whenConnected();

    /**
     * Registers a listener that is called with the neighbors after they have changed, one call at a time, on the callback executor. It may
     * block: then it misses changes, and the next call has the newest neighbors.
     *
     * @return the registration
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#CLOSED} if the view is closing
     */
    AsyncCloseable addListener(Consumer<Set<PeerId>> listener);

    /**
     * Sends a message to a service of all other members, and returns immediately. Borrowed payloads are copied.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#UNREACHABLE} if this member has no neighbor, see
     *     {@link #whenConnected()}; {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE} beyond
     *     {@link MemberViewLimits#maxMessageBytes()}; {@link io.parley.error.ErrorCode#QUEUE_FULL} if too many messages of this member
     *     wait, or the queues to all neighbors are full, see {@link #whenWritable()}; {@link io.parley.error.ErrorCode#CLOSED}
     */
    void groupcast(ServiceAddress service, Message message);

    /**
     * Waits until a message can be sent to all members.
     *
     * @return a future that completes when this member has a neighbor and room for a message: immediately, or on a thread of the peer or
     *     of its endpoint, which must not be blocked. Another thread may use the room first. It fails with
     *     {@link io.parley.error.ErrorCode#CLOSED} if the view closes
     */
    CompletableFuture<Void> whenWritable();

    /**
     * Registers the listener of a service for messages of other members to all. It is called with the sender and the message, one call at
     * a time, on the callback executor, and may block. While many messages wait for it, further ones are dropped and counted.
     *
     * @return the registration
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#ALREADY_BOUND} if the service has a listener;
     *     {@link io.parley.error.ErrorCode#CLOSED} if the view is closing
     */
    AsyncCloseable listen(ServiceAddress service, BiConsumer<PeerId, Message> listener);
}

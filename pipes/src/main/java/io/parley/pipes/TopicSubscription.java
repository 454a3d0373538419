package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The receiving end of a topic, JXTA's propagate pipe. It gets the messages of all publishers that are reachable, those that open
 * later too: at most once, and those of one publisher in order. After a publisher is lost it is subscribed again when it returns; the
 * messages in between are missed. Closing discards the messages that were not received. Thread-safe.
 */
public interface TopicSubscription extends AsyncCloseable {

    /** Returns the id of the propagate pipe. */
    PipeId id();

    /** Returns the publishers whose messages this subscription gets now. */
    Set<PeerId> publishers();

    /**
     * Waits until no publisher is left. A publisher leaves when it closes, when it removes this subscription, or when it was not reachable
     * for {@link io.parley.endpoint.EndpointLimits#reconnectTimeout()}; until then a lost one counts, although {@link #publishers} does
     * not contain it. {@link #missedMessages} then counts all that it has reported. Its messages may still wait to be received.
     *
     * @return a future that completes immediately if there is no publisher now, otherwise when the last one has left, or when this
     *     subscription is closed. It does not fail. It may complete on an internal thread, and must not block there
     */
    CompletableFuture<Void> whenPublishersLeft();

    /**
     * Returns the number of messages that were dropped for this subscription because it was too slow: by this peer, and by the publishers,
     * which report their number within 0.2 s if a message has replaced others, every second, when they remove this subscription, and
     * when they close. Contains the messages of a publisher that have arrived after it was removed, because it was lost for too long.
     */
    long missedMessages();

    /**
     * Returns the next message. Waits until there is one. The asynchronous form is a listener: see {@link Topic#subscribe}.
     *
     * @param timeout maximum time to wait; zero or less does not wait
     * @return empty if there was no message within the timeout
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#CLOSED} if the subscription is closed
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalStateException if the messages of this subscription go to a listener
     */
    Optional<PipeMessage> receive(Duration timeout) throws InterruptedException;
}

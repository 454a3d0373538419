package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The sending end of a topic, JXTA's propagate pipe. Each message goes to all peers that have the topic open: at most once to each, in
 * the order of the calls, and encoded once for all with the same codec. A peer that opens the topic later gets the messages from then
 * on, within a second if it is in the same local network or has a rendezvous in common. A slow receiver slows neither the others nor the
 * publisher, unless it has subscribed with {@link SubscriptionOptions.Overflow#BLOCK}. Thread-safe.
 *
 * <p>Closing sends the queued messages first, for the close timeout of the limits at most. The messages that a slow receiver has not accepted by then
 * are discarded, counted by {@link #droppedMessages} and {@link TopicSubscription#missedMessages}, and logged. Wait for
 * {@link #whenIdle()} before the close if all receivers must get the last messages.
 */
public interface TopicPublisher extends AsyncCloseable {

    /** Is notified of the receivers of a publisher, on the callback executor and for one change at a time. */
    interface ReceiverListener {

        /** Called when a peer gets the messages from now on. */
        default void onOpened(PeerId receiver) {}

        /**
         * Called when a peer gets no more messages: because it has closed its subscription, is lost, or was removed because it stopped
         * the publisher for too long. A lost peer that returns is opened again.
         */
        default void onClosed(PeerId receiver) {}
    }

    /** Returns the id of the propagate pipe. */
    PipeId id();

    /** Returns the peers that get the messages now. This peer is one of them if it has subscribed too. */
    Set<PeerId> receivers();

    /**
     * Registers a listener for the receivers that come and go from now on.
     *
     * @return the registration. Closing it ends the notification; a call in progress on another thread may still complete
     */
    AsyncCloseable addReceiverListener(ReceiverListener listener);

    /**
     * Queues a message for all present receivers and returns immediately. Borrowed payloads are copied. Unlike
     * {@link OutputPipe#send(Message)}, the completion of the future does not mean that the message has arrived: see {@link #whenIdle()}.
     *
     * @return a future that is complete: the message is queued for all receivers, of which there may be none. It has failed with
     *     {@link io.parley.error.ErrorCode#QUEUE_FULL} if a receiver with {@link SubscriptionOptions.Overflow#BLOCK} has no room, or the
     *     rate of {@link Pipes#withFlowLimits} is used up; then the message is queued for none, see {@link #whenWritable()}; with {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE} or
     *     {@link io.parley.error.ErrorCode#NOT_ENCODABLE} if some receivers cannot get the message, which is queued for the others; with
     *     {@link io.parley.error.ErrorCode#CLOSED} if the publisher is closed
     */
    CompletableFuture<Void> send(Message message);

    /**
     * Queues a message for all present receivers: the blocking form of {@link #send(Message)}. Waits while a receiver with
     * {@link SubscriptionOptions.Overflow#BLOCK} has no room or the rate is used up, and returns when the message is queued. It may not
     * have arrived anywhere then: see {@link #whenIdle()}.
     *
     * @param timeout maximum time to wait
     * @throws io.parley.error.ParleyException as {@link #send(Message)}, without {@code QUEUE_FULL};
     *     {@link io.parley.error.ErrorCode#TIMEOUT} if a receiver had no room, or the rate did not permit the message, within the timeout; the
     *     message is queued for none then
     * @throws InterruptedException if the thread is interrupted; the message is queued for none
     * @throws IllegalStateException on an event loop, which must not block
     */
    void send(Message message, Duration timeout) throws InterruptedException;

    /** Returns whether {@link #send(Message)} queues a small message now. */
    boolean isWritable();

    /**
     * Waits for room at the receivers with {@link SubscriptionOptions.Overflow#BLOCK}, and for the rate.
     *
     * @return a future that completes when the receivers that have no room now have half of their queue empty, or are removed after
     *     {@link Topic#withBlockTimeout}, and the rate permits a small message. It may complete on an event loop, and must not block
     */
    CompletableFuture<Void> whenWritable();

    /**
     * Waits until the present receivers have all messages that were sent before this call: those with
     * {@link SubscriptionOptions.Overflow#BLOCK} have acknowledged them, to the others they are handed to the network, or dropped and
     * counted by {@link #droppedMessages}. Whether the listener of a receiver has got them is not known. A receiver without a connection,
     * or one that does not read, is waited for until it is removed.
     *
     * @return a future that completes immediately if no message waits, or on an event loop, and must not block there; it does not fail. If
     *     messages are sent meanwhile, it may wait for these too. Closing completes it
     */
    CompletableFuture<Void> whenIdle();

    /**
     * Returns the number of messages that were dropped so far, each counted for each receiver that did not get it: because its queue was
     * full, they were too old, the receiver was lost or removed, or this publisher was closed before they were sent; or because they were
     * sent while the receiver had no connection, and it does not accept them or they cannot be encoded.
     */
    long droppedMessages();

    /**
     * Returns how many of the {@link #droppedMessages} were dropped by the {@link SubscriptionOptions} of their receiver: newer messages
     * replaced them in a full queue, or they were too old, which is counted when the next message is sent. The others were not sent to a
     * receiver that was lost, removed or could not get them. No message is replaced for a receiver with
     * {@link SubscriptionOptions.Overflow#BLOCK}.
     */
    long replacedMessages();

    /** Returns the number of receivers that were removed because they stopped this publisher for too long. */
    long droppedReceivers();
}

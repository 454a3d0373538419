package io.parley.endpoint;

import io.parley.common.AsyncCloseable;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A bounded send queue to one service of one peer at a time. It survives reconnects: after a connection is lost, queued and unacknowledged
 * messages wait for the next connection, over any address or transport, for at most {@link EndpointLimits#reconnectTimeout()}.
 * Messages arrive once and in the order of the calls. {@link #close()} sends the queued messages first, and waits until they are
 * acknowledged. Thread-safe.
 *
 * <p>A {@linkplain MessengerOptions.Delivery best-effort} messenger does not wait for acknowledgements, sends nothing again and
 * drops messages when its queue is full.
 *
 * <p>A peer of protocol version 1.0 does not acknowledge messages. To such a peer a message counts as sent when it is handed to
 * the network, and what is lost with a connection is not sent again.
 */
public interface Messenger extends AsyncCloseable {

    /** Returns the remote peer. It may change after {@link #onPeerLost}. */
    PeerId peer();

    /** Returns the service of the remote peer. */
    ServiceAddress service();

    /** Returns the name of the current message codec; empty while there is no connection. */
    Optional<String> codec();

    /**
     * Returns the run of the remote peer to which this messenger sends now, see {@link Endpoint#remoteInstance}; empty while there is no
     * connection. When a message is acknowledged, this is the run that has it, although another one may be connected already.
     */
    OptionalLong remoteInstance();

    /**
     * Checks that the service exists.
     *
     * @return a future that completes when the remote peer has confirmed the service; it fails with
     *     {@link io.parley.error.ErrorCode#NO_SUCH_SERVICE} if the service does not exist, or with the reason if the peer is
     *     unreachable
     */
    CompletableFuture<Void> resolve();

    /**
     * Queues a message and returns immediately. The queue accepts a message of any size while it is not full, so it holds less
     * than {@link EndpointLimits#queueBytes()} plus one message, besides the messages that were sent and may be sent again, of at most
     * {@link EndpointLimits#windowBytes()} plus one message. Borrowed payloads are copied.
     *
     * <p>Cancelling the future removes the message from the queue, so that it is never sent. It has no effect, and
     * {@code cancel} returns false, if the message was sent.
     *
     * @return a future that completes when the remote endpoint has received the message, which it passes to the listener of the
     *     service once and in order. It fails with
     *     {@link io.parley.error.ErrorCode#QUEUE_FULL} if the queue is full, see {@link #whenWritable()}; with
     *     {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE}, {@link io.parley.error.ErrorCode#NO_SUCH_SERVICE},
     *     {@link io.parley.error.ErrorCode#UNREACHABLE}, {@link io.parley.error.ErrorCode#DISCONNECTED} or
     *     {@link io.parley.error.ErrorCode#CLOSED} if the message was not sent
     *     for that reason; or with {@link io.parley.error.ErrorCode#LOST} if it is unknown whether the message has arrived,
     *     because the remote process has ended, has not been reachable for {@link EndpointLimits#reconnectTimeout()} or only by
     *     connections that broke before an acknowledgement, or this messenger was closed before the acknowledgement
     */
    CompletableFuture<Void> send(Message message);

    /**
     * Sends a message and waits until the remote endpoint has received it: the blocking form of {@link #send(Message)}. A full queue
     * blocks the caller, unless this is a {@linkplain MessengerOptions.Delivery best-effort} messenger, which drops a message instead. To
     * send many messages without waiting for each one, wait for {@link #whenWritable()} and call {@link #send(Message)}.
     *
     * @param timeout maximum time to wait
     * @throws io.parley.error.ParleyException as {@link #send(Message)}; {@code QUEUE_FULL} only if a best-effort messenger has dropped the
     *     message; {@link io.parley.error.ErrorCode#TIMEOUT} if the message was not sent within the timeout; it has been removed from the
     *     queue then; {@link io.parley.error.ErrorCode#LOST} if the timeout has expired before the message was acknowledged
     * @throws InterruptedException if the thread is interrupted; the message is removed from the queue unless it was sent
     * @throws IllegalStateException on an event loop, which must not block
     */
    void send(Message message, Duration timeout) throws InterruptedException;

    /**
     * Queues a message that other messengers send too, and returns immediately. It is encoded once for all messengers with the same
     * codec, on the thread of the first caller if the channel is open, and its bytes are in memory once; each queue counts the size of
     * its payloads. Its outcome is not reported: a reliable messenger delivers it like any message or {@linkplain #onFailed fails}, a
     * best-effort messenger may drop it.
     *
     * @return whether the message was queued; false if the queue is full and does not drop messages, see {@link #whenWritable()}
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#CLOSED}; if the channel is open, also
     *     {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE}, and {@link io.parley.error.ErrorCode#NOT_ENCODABLE} if the codec cannot
     *     encode the message or has no {@linkplain io.parley.codec.MessageCodec#hasStatelessForm stateless form}. Otherwise such a
     *     message is dropped later, and counted by {@link #droppedMessages()}
     * @throws IllegalStateException if this messenger {@linkplain MessengerOptions#withEncoding encodes elements}, which differ between receivers
     */
    boolean offer(SharedMessage message);

    /**
     * Sets the listener that is called when the messenger has failed its messages or its {@link #resolve}: because the peer is
     * unreachable, has refused the service, or has lost messages that were not acknowledged. The messenger remains open, and the next
     * message starts another attempt. Not called when the messenger closes.
     *
     * @param listener is called on a thread of the endpoint. Must not block
     */
    void onFailed(Consumer<ParleyException> listener);

    /**
     * Returns the number of messages that this messenger has dropped: because its queue was full or they were too old, which is zero
     * unless the messenger is a {@linkplain MessengerOptions.Delivery best-effort} one; and {@linkplain #offer offered} messages that
     * it has discarded unsent when it failed or closed, or that it could not encode when the channel opened, because their outcome is not
     * reported in another way.
     */
    long droppedMessages();

    /**
     * Returns whether the queue accepts a message now without dropping one. Another thread may fill the queue after this call; a lost
     * connection does not, because messages that were sent and return to the queue take no room.
     */
    boolean isWritable();

    /**
     * Waits for room in the queue.
     *
     * @return a future that completes when the queue accepts a message: immediately, or on the event loop after half of the queue
     *     is sent. Sending from that callback is the fastest way; it must not block. The future fails with
     *     {@link io.parley.error.ErrorCode#CLOSED} if the messenger closes
     */
    CompletableFuture<Void> whenWritable();

    /**
     * Waits until this messenger has no message: all are acknowledged, or have failed. A best-effort messenger has no message when the
     * last one was handed to the network or dropped.
     *
     * @return a future that completes immediately, or on a thread of the endpoint, and must not block there; it does not fail
     */
    CompletableFuture<Void> whenIdle();

    /**
     * Makes this messenger continue at another peer with the same service if its peer is lost: unreachable, without a connection
     * for 200 ms while messages wait, or without the service. Messages wait meanwhile, and stay in order. If the present peer is
     * connected again before another one is known, the messenger continues there. Must be called before the first message is sent.
     *
     * @param successor    called when a peer is needed; returns a future of it. Must not block. It is called again only after that
     *     future has completed. If the future fails, the waiting messages fail with its failure, unless the present peer may still
     *     return; the next message starts another call. The future is cancelled when the messenger is closed
     * @param resending    whether messages that the lost peer has not acknowledged are sent to the next peer too, which they reach at
     *     least once; otherwise they fail with {@link io.parley.error.ErrorCode#LOST}
     * @param onRedirected called with each new peer, after the lost messages have failed; on a thread of the endpoint. Must not
     *     block
     */
    void onPeerLost(Supplier<CompletableFuture<PeerId>> successor, boolean resending, Consumer<PeerId> onRedirected);

    /** Returns whether this messenger sends only through secure channels, see {@link MessengerOptions#withSecureChannels}. */
    boolean isSecure();

    /**
     * Closes immediately. Queued messages are not sent; their futures fail with {@link io.parley.error.ErrorCode#CLOSED} in the
     * order of the calls. Does not wait.
     */
    void abort();
}

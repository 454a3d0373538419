package io.parley.endpoint;

import io.parley.common.AsyncCloseable;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The way to one service of one peer. It outlives connections: when one is lost, queued messages wait for the next, for
 * at most {@link EndpointLimits#reconnectTimeout()}. All methods may be called from any thread; messages leave in the order of
 * the calls. Closing sends what is queued first.
 */
public interface Messenger extends AsyncCloseable {

    /** The peer at the other end. */
    PeerId peer();

    /** The service at the other end. */
    ServiceAddress service();

    /** The name of the codec that messages are written in now; empty while there is no connection. */
    Optional<String> codec();

    /**
     * Completes when the other peer has said that it offers the service; fails with
     * {@link io.parley.error.ErrorCode#NO_SUCH_SERVICE} when it does not, or with the reason why it can't be reached.
     */
    CompletableFuture<Void> resolve();

    /**
     * Queues a message and returns at once. When the queue has no room the future fails with
     * {@link io.parley.error.ErrorCode#QUEUE_FULL}; see {@link #whenWritable()}. A queue that is not full has room for
     * one message of any size, so it holds less than {@link EndpointLimits#queueBytes()} and one message.
     *
     * @return completes when the message has been handed to the network; fails with
     *     {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE}, {@link io.parley.error.ErrorCode#NO_SUCH_SERVICE},
     *     {@link io.parley.error.ErrorCode#UNREACHABLE}, {@link io.parley.error.ErrorCode#DISCONNECTED} or
     *     {@link io.parley.error.ErrorCode#CLOSED}, all of which mean that the message was not sent, or
     *     with {@link io.parley.error.ErrorCode#LOST} if the result is unknown
     */
    CompletableFuture<Void> send(Message message);

    /**
     * Waits until the queue has room, queues the message and returns: the blocking form of back-pressure.
     *
     * @param timeout how long to wait for room
     * @return as for {@link #send(Message)}; fails with {@link io.parley.error.ErrorCode#TIMEOUT} when there was no room
     *     in time, or the thread was interrupted, whose interrupt status is then set
     * @throws IllegalStateException on a thread that serves connections, which must not wait
     */
    CompletableFuture<Void> send(Message message, Duration timeout);

    /** Whether the queue has room, so that {@link #send(Message)} takes the next message, unless another thread is faster. */
    boolean isWritable();

    /**
     * Completes when the queue has room: at once, or on the thread that serves the connection when half of the queue has
     * been sent. What is sent from there goes out fastest; it must not block. Fails when the messenger closes.
     */
    CompletableFuture<Void> whenWritable();

    /**
     * Closes at once: what is queued is not sent, and its futures fail with {@link io.parley.error.ErrorCode#CLOSED} in the
     * order of the calls. Does not wait.
     */
    void abort();
}

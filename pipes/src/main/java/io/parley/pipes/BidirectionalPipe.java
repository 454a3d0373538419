package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One end of a pipe in both directions between two peers. Messages arrive once and in order in each direction, also if connections break
 * meanwhile; a slow receiver stops its sender. Only the remote peer can send into this end. See {@link BidirectionalPipes}.
 *
 * <p>A peer ends its direction with {@link #closeOutput()}. The other peer then receives the end of the stream after the last message, and
 * may continue to send. {@link #close()} ends both directions. If the remote peer is lost, which takes at most
 * {@link io.parley.endpoint.EndpointLimits#resumeTimeout()}, or has aborted the pipe, both directions fail: what has arrived can still be
 * received, then {@link #receive} fails, and so do all sends. The namespace {@code parley.pipe} is reserved. Thread-safe.
 */
public interface BidirectionalPipe extends AsyncCloseable {

    /** Returns the peer at the other end, authenticated by its connection. */
    PeerId remotePeer();

    /** Returns the message with which the remote peer has connected or accepted; without elements if it gave none. */
    Message hello();

    /** Returns the name of the codec that encodes messages now; empty while there is no connection. */
    Optional<String> codec();

    /**
     * Queues a message and returns immediately.
     *
     * @return a future that completes when the endpoint of the remote peer has received the message. It fails with
     *     {@link io.parley.error.ErrorCode#QUEUE_FULL} if the queue is full, see {@link #whenWritable()}; with
     *     {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE} or {@link io.parley.error.ErrorCode#NOT_ENCODABLE} because of the message;
     *     with {@link io.parley.error.ErrorCode#CLOSED} after {@link #closeOutput()} or {@link #close()}; with the reason that the remote
     *     peer gave to {@link #fail}; otherwise with {@link io.parley.error.ErrorCode#DISCONNECTED} or
     *     {@link io.parley.error.ErrorCode#LOST}, after which all sends fail
     */
    CompletableFuture<Void> send(Message message);

    /**
     * Sends a message and waits until the endpoint of the remote peer has received it. The timeout covers the wait for room, for the rate
     * and for the acknowledgement. A full queue blocks the caller. To send many
     * messages, wait for {@link #whenWritable()} and call {@link #send(Message)}.
     *
     * @param timeout maximum time to wait
     * @throws ParleyException as {@link #send(Message)}, without {@code QUEUE_FULL};
     *     {@link io.parley.error.ErrorCode#TIMEOUT} if the message was not sent within the timeout, and never will be;
     *     {@link io.parley.error.ErrorCode#LOST} if it may still be sent
     * @throws InterruptedException if the thread is interrupted; the message may still be sent
     * @throws IllegalStateException on an event loop, which must not block
     */
    void send(Message message, Duration timeout) throws InterruptedException;

    /** Returns whether the queue accepts a message now. */
    boolean isWritable();

    /**
     * Waits for room in the queue.
     *
     * @return a future that completes when the queue accepts a message, on an event loop, and must not block there; it fails with
     *     {@link io.parley.error.ErrorCode#CLOSED} if the pipe ends
     */
    CompletableFuture<Void> whenWritable();

    /**
     * Returns the next message, or empty at the end of the stream. Waits until there is one of them. This is not as with
     * {@link InputPipe#receive}, which has no end and returns empty after the timeout.
     *
     * @param timeout maximum time to wait; zero or less does not wait
     * @return empty at the end of the stream: the remote peer has closed its direction, and all its messages were received
     * @throws ParleyException {@link io.parley.error.ErrorCode#TIMEOUT} if there was no message within the timeout; the reason that the
     *     remote peer gave to {@link #fail}; {@link io.parley.error.ErrorCode#DISCONNECTED} if the remote peer is lost or has aborted the
     *     pipe; {@link io.parley.error.ErrorCode#CLOSED} if this end is closed
     * @throws InterruptedException if the thread is interrupted
     */
    Optional<Message> receive(Duration timeout) throws InterruptedException;

    /**
     * Returns a future of the next message, as {@link #receive} without a timeout. If there is a message, the future is complete;
     * otherwise it completes on the callback executor. A cancelled call takes no message. At most 1024 calls wait; a further one fails with
     * {@link io.parley.error.ErrorCode#QUEUE_FULL}. Waiting calls complete one after the other, see {@link InputPipe#receiveAsync}.
     */
    CompletableFuture<Optional<Message>> receiveAsync();

    /**
     * Ends the direction to the remote peer after the queued messages. Messages can still be received.
     *
     * @return a future that completes when the endpoint of the remote peer has received all messages and the end; it fails as
     *     {@link #send(Message)}
     */
    CompletableFuture<Void> closeOutput();

    /**
     * Closes both directions with a failure. The queued messages are sent first. Then calls of the remote peer fail with the code of this
     * failure, translated by {@link io.parley.error.ErrorCode#ofWire}, and at most 500 characters of its text. Unless the direction to the
     * remote peer was closed before, which is the only effect then.
     *
     * @return {@link #whenClosed()}
     */
    CompletableFuture<Void> fail(ParleyException reason);

    /**
     * Sends the queued messages, and ends both directions. Messages that were not received are discarded, and so are those that still
     * arrive. After the close timeout of the limits the pipe is aborted.
     */
    @Override
    CompletableFuture<Void> closeAsync();

    /** Closes as {@link #closeAsync()} and waits. */
    @Override
    void close();

    /** Ends both directions immediately. Queued messages are not sent. The remote peer fails with {@code DISCONNECTED}. */
    void abort();
}

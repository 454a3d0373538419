package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The sending end of a pipe. Messages arrive once and in order, also if connections break meanwhile. A slow receiver stops the
 * sender: see {@link #whenWritable()}. Other ways of delivery are a choice of {@link Pipes}. Closing sends the queued messages first. Thread-safe.
 */
public interface OutputPipe extends AsyncCloseable {

    /** Returns the pipe id. */
    PipeId id();

    /**
     * Returns the peer that holds the input pipe. The holder of a pipe that was connected without naming a peer may change: if
     * the holder is lost or closes the pipe, the pipe searches for another one, which gets the unsent messages. Messages that were
     * sent to the former holder and not acknowledged fail with {@link io.parley.error.ErrorCode#LOST}, or go to the new one with
     * {@link Pipes#withResending()}.
     */
    PeerId holder();

    /**
     * Registers a listener for changes of the {@linkplain #holder() holder}. It is called with each new holder, on the callback
     * executor and for one change at a time. By then the messages that were lost with the former holder have failed, and messages
     * of the queue may have been sent to the new one. The listener is not called if the holder reconnects or moves to another
     * address, and never on a pipe that was connected to a given holder.
     *
     * @return the registration. Closing it ends the notification; a call in progress on another thread may still complete
     */
    AsyncCloseable addHolderListener(Consumer<PeerId> listener);

    /** Returns the name of the codec that encodes messages now; empty while there is no connection. */
    Optional<String> codec();

    /**
     * Queues a message and returns immediately. The future completes when the message has arrived at the holder's endpoint, which the future of
     * {@link TopicPublisher#send(Message)} does not, and not that it was processed, which that of {@link TaskSender#send(Message)} does. With
     * best effort, it completes when the message was handed to the network.
     *
     * @return a future that completes on an event loop, and must not block there, when the endpoint of the holder has received the message;
     *     it fails as
     *     {@link io.parley.endpoint.Messenger#send(Message)} does, with {@link io.parley.error.ErrorCode#QUEUE_FULL} if the
     *     pipe's queue is full, and with {@link io.parley.error.ErrorCode#CLOSED} if the pipe is closed
     */
    CompletableFuture<Void> send(Message message);

    /**
     * Sends a message and waits until the endpoint of the holder has received it: the blocking form of {@link #send(Message)}, whose timeout
     * covers the wait for room, for the rate and for the acknowledgement; those of {@link TaskSender} and {@link TopicPublisher} wait for
     * room only. A full queue blocks the caller, unless the pipe sends with best effort, which drops a message instead. To send many messages
     * without waiting for each one, wait for {@link #whenWritable()} and call {@link #send(Message)}.
     *
     * @param timeout maximum time to wait
     * @throws io.parley.error.ParleyException as {@link #send(Message)}; {@code QUEUE_FULL} only if the message was dropped with best effort;
     *     {@link io.parley.error.ErrorCode#TIMEOUT} if the message was not sent within the timeout, and never will be;
     *     {@link io.parley.error.ErrorCode#LOST} if it was sent and may still arrive
     * @throws InterruptedException if the thread is interrupted; the message is removed from the queue unless it was sent
     * @throws IllegalStateException on an event loop, which must not block
     */
    void send(Message message, Duration timeout) throws InterruptedException;

    /**
     * Sends a request to the holder, and returns immediately. Any number of requests may be pending up to 4096 in a group; responses may
     * come in any order. Cancelling the future ends the request: it is not sent if it waits in the queue, and its response is
     * ignored.
     *
     * @param timeout maximum time to wait for the response; above zero
     * @return a future that completes on an event loop, and must not block there, with the response, which the holder has sent by {@link Pipes#serve} or
     *     {@link PipeMessage#respond}. It fails with {@link io.parley.error.ApplicationException} if the holder has responded with an
     *     error; with {@link io.parley.error.ErrorCode#SERVICE_FAILED} if its handler failed for another reason; with
     *     {@link io.parley.error.ErrorCode#TIMEOUT} after the timeout, and the message of the exception states whether the request may have been executed; with
     *     {@link io.parley.error.ErrorCode#LOST} if the holder was lost, or the pipe was closed, and the request may have been
     *     executed; with {@link io.parley.error.ErrorCode#QUEUE_FULL} if too many requests are pending or the queue of the pipe is
     *     full, with {@link io.parley.error.ErrorCode#BUSY} if the service is overloaded, and as {@link #send(Message)} if the request
     *     was not delivered for another reason: it was not executed in these cases
     * @throws IllegalArgumentException if the timeout is not positive
     */
    CompletableFuture<PipeMessage> requestAsync(Message message, Duration timeout);

    /**
     * Sends a request and waits for the response: the blocking form of {@link #requestAsync}.
     *
     * @throws io.parley.error.ParleyException as {@link #requestAsync} fails
     * @throws InterruptedException if the thread is interrupted; the response is ignored then
     * @throws IllegalStateException on an event loop, which must not block
     */
    PipeMessage request(Message message, Duration timeout) throws InterruptedException;

    /**
     * Returns the number of messages that this pipe has dropped because its queue was full. It is zero unless the pipe was connected
     * with {@link Pipes#withDropOldest} or {@link Pipes#withDropNewest}.
     */
    long droppedMessages();

    /** Returns whether the queue accepts a message now. See {@link io.parley.endpoint.Messenger#isWritable()}. */
    boolean isWritable();

    /**
     * Waits for room in the queue.
     *
     * @return a future that completes when the queue accepts a message. See
     *     {@link io.parley.endpoint.Messenger#whenWritable()}
     */
    CompletableFuture<Void> whenWritable();
}

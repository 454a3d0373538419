package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The sending end of a pipe. Messages arrive in order, at most once; a receiver that is slower than the sender slows it
 * down. Closing it sends what is queued first.
 */
public interface OutputPipe extends AsyncCloseable {

    /** The pipe's id. */
    PipeId id();

    /**
     * The peer that holds the input end. That of a pipe that was connected without naming one may change: when the holder
     * is lost or closes the pipe, another is looked for, which takes over what was not sent.
     */
    PeerId holder();

    /** The name of the codec that messages are written in now; empty while there is no connection. */
    Optional<String> codec();

    /**
     * Queues a message and returns at once.
     *
     * @return completes when the message has been handed to the network; fails as
     *     {@link io.parley.endpoint.Messenger#send(Message)} does, with {@link io.parley.error.ErrorCode#QUEUE_FULL} when
     *     the pipe's queue has no room
     */
    CompletableFuture<Void> send(Message message);

    /**
     * Sends a message and waits until it is handed to the network: the blocking form of {@link #send(Message)}. A full queue
     * blocks the caller. To send many messages without waiting for each one, wait for {@link #whenWritable()} and call
     * {@link #send(Message)}.
     *
     * @param timeout maximum time to wait
     * @throws io.parley.error.ParleyException as {@link #send(Message)}, without {@code QUEUE_FULL};
     *     {@link io.parley.error.ErrorCode#TIMEOUT} if the message was not sent within the timeout;
     *     {@link io.parley.error.ErrorCode#LOST} if it was queued and it is unknown whether it will be sent
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalStateException on an event loop, which must not block
     */
    void send(Message message, Duration timeout) throws InterruptedException;

    /** Whether the queue has room for the next message, as of {@link io.parley.endpoint.Messenger#isWritable()}. */
    boolean isWritable();

    /** Completes when the queue has room, as of {@link io.parley.endpoint.Messenger#whenWritable()}. */
    CompletableFuture<Void> whenWritable();
}

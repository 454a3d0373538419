package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.id.PipeId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/**
 * The receiving end of a pipe. Closing rejects further messages, discards those that were not received, and withdraws the
 * pipe's advertisement. It does not wait for a listener that is running. Thread-safe.
 */
public interface InputPipe extends AsyncCloseable {

    /** Returns the pipe id. */
    PipeId id();

    /** Returns the ticket, with which another peer can connect without a search. */
    PipeTicket ticket();

    /**
     * Returns the next message. Waits until there is one. The asynchronous forms are {@link #receiveAsync()} and a listener: see
     * {@link Pipes#listen}.
     *
     * @param timeout maximum time to wait; zero or less does not wait
     * @return empty if there was no message within the timeout
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#CLOSED} if the pipe is closed
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalStateException if the messages of this pipe go to a listener
     */
    Optional<PipeMessage> receive(Duration timeout) throws InterruptedException;

    /**
     * Returns a future of the next message. If there is one, the future is complete; otherwise it completes on the callback executor.
     * Calls that wait get their messages in the order of the calls. A cancelled call takes no message. Waiting calls complete one after the
     * other: a dependent stage that blocks delays those behind it and must not wait for one of them; use the {@code Async} forms of stages.
     *
     * @return a future that fails with {@link io.parley.error.ErrorCode#CLOSED} if the pipe is closed, or with
     *     {@link io.parley.error.ErrorCode#QUEUE_FULL} if 1024 calls wait
     * @throws IllegalStateException if the messages of this pipe go to a listener
     */
    CompletableFuture<PipeMessage> receiveAsync();

    /**
     * Returns the messages as a publisher. A subscription takes a message when its subscriber has requested one, so a subscriber that
     * requests none stops the senders. Signals come on the callback executor. Several subscribers, and callers of {@link #receive}, compete:
     * each message goes to one of them. Closing the pipe completes the subscriptions. A message that was taken before a cancellation is
     * still passed on.
     *
     * @throws IllegalStateException if the messages of this pipe go to a listener
     */
    Flow.Publisher<PipeMessage> publisher();
}

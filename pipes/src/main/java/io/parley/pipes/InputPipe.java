package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.id.PipeId;
import java.time.Duration;
import java.util.Optional;

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
     * Returns the next message. Waits until there is one. The asynchronous form is a listener: see {@link Pipes#listen}.
     *
     * @param timeout maximum time to wait; zero or less does not wait
     * @return empty if there was no message within the timeout
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#CLOSED} if the pipe is closed
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalStateException if the messages of this pipe go to a listener
     */
    Optional<PipeMessage> receive(Duration timeout) throws InterruptedException;
}

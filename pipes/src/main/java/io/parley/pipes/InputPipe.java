package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.id.PipeId;
import java.time.Duration;
import java.util.Optional;

/** The receiving end of a pipe. Closing it refuses further senders and drops what has not been received. */
public interface InputPipe extends AsyncCloseable {

    /** The pipe's id. */
    PipeId id();

    /** What another peer needs to connect to this pipe. */
    PipeTicket ticket();

    /**
     * Takes the next message, waiting for it if there is none.
     *
     * @param timeout how long to wait; zero or less does not wait
     * @return empty when none came in time
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#CLOSED} once the pipe is closed
     * @throws IllegalStateException when a listener receives this pipe's messages
     */
    Optional<PipeMessage> receive(Duration timeout) throws InterruptedException;
}

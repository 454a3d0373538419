package io.parley.pipes;

import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An input pipe that is read by {@link #receive}. Its queue holds at most what the senders' windows allow, since a window
 * is given back when a message is taken, so it needs no bound of its own.
 */
final class QueuedInputPipe extends AbstractInputPipe {

    /** Wakes a thread that waits in {@link #receive} when the pipe closes; stays in the queue for the next one. */
    private static final Object END = new Object();

    private final BlockingQueue<Object> queue = new LinkedBlockingQueue<>();

    QueuedInputPipe(PipeTicket ticket) {
        super(ticket);
    }

    @Override
    public void accept(ReceivedMessage received) {
        queue.add(received);
    }

    @Override
    public Optional<PipeMessage> receive(Duration timeout) throws InterruptedException {
        Object next = queue.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
        return next == null ? Optional.empty() : Optional.of(take(next));
    }

    private PipeMessage take(Object next) {
        if (next instanceof ReceivedMessage received) {
            received.release();
            return new PipeMessage(received.from(), received.message());
        }
        queue.add(END);
        throw ErrorCode.CLOSED.exception("input pipe " + id() + " is closed");
    }

    @Override
    void discard() {
        @Nullable Object next;
        while ((next = queue.poll()) != null) {
            if (next instanceof ReceivedMessage received) {
                received.release();
            }
        }
        queue.add(END);
    }
}

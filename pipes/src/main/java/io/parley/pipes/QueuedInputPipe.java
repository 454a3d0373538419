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
 * An input pipe that is read with {@link #receive}. The windows of the senders bound its queue, because credit is returned when
 * a message is received. Thread-safe.
 */
final class QueuedInputPipe extends AbstractInputPipe {

    /** Wakes a thread that waits in {@link #receive} when the pipe closes. Stays in the queue for the next thread. */
    private static final Object END = new Object();

    private final BlockingQueue<Object> queue = new LinkedBlockingQueue<>();

    QueuedInputPipe(PipeTicket ticket, Duration closeTimeout) {
        super(ticket, closeTimeout);
    }

    @Override
    public void accept(ReceivedMessage received) {
        queue.add(received);
    }

    @Override
    public Optional<PipeMessage> receive(Duration timeout) throws InterruptedException {
        Object next = queue.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
        return next == null ? Optional.empty() : Optional.of(toMessage(next));
    }

    private PipeMessage toMessage(Object next) {
        if (next instanceof ReceivedMessage received) {
            received.release();
            return new PipeMessage(received.from(), received.message());
        }
        queue.add(END);
        throw ErrorCode.CLOSED.exception(this + ": closed");
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

package io.parley.pipes;

import io.parley.endpoint.ReceivedMessage;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An input pipe with a listener, which gets one message at a time and in order with any executor. The windows of the senders
 * bound the queue. Thread-safe.
 */
final class ListenerInputPipe extends AbstractInputPipe {

    private static final Logger log = LoggerFactory.getLogger(ListenerInputPipe.class);

    /** The number of messages that one task delivers before it yields the executor's thread to other tasks. */
    private static final int BATCH = 256;

    private final Consumer<PipeMessage> listener;
    private final Executor executor;
    private final EndpointMetrics metrics;
    private final Runnable delivery = this::deliver;
    private final Queue<ReceivedMessage> queue = new ArrayDeque<>();
    private boolean delivering;

    ListenerInputPipe(
            PipeTicket ticket,
            Duration closeTimeout,
            Consumer<PipeMessage> listener,
            Executor executor,
            EndpointMetrics metrics) {
        super(ticket, closeTimeout);
        this.listener = listener;
        this.executor = executor;
        this.metrics = metrics;
    }

    @Override
    public void accept(ReceivedMessage received) {
        synchronized (queue) {
            queue.add(received);
            if (delivering) {
                return;
            }
            delivering = true;
        }
        schedule();
    }

    private void schedule() {
        try {
            executor.execute(delivery);
        } catch (RejectedExecutionException e) {
            log.warn("Dropped messages of {}: the executor is shut down", this);
            discard();
        }
    }

    private void deliver() {
        for (int delivered = 0; delivered < BATCH; delivered++) {
            @Nullable ReceivedMessage next = poll();
            if (next == null) {
                return;
            }
            deliver(next);
        }
        schedule();
    }

    private @Nullable ReceivedMessage poll() {
        synchronized (queue) {
            ReceivedMessage next = queue.poll();
            if (next == null) {
                delivering = false;
            }
            return next;
        }
    }

    private void deliver(ReceivedMessage received) {
        try {
            listener.accept(new PipeMessage(received.from(), received.message()));
        } catch (RuntimeException | Error e) { // an error too: it would end the delivery
            metrics.increment(Counter.LISTENER_FAILURES);
            log.warn("Listener of {} failed on a message from {}", this, received.from(), e);
        } finally {
            received.release();
        }
    }

    @Override
    public Optional<PipeMessage> receive(Duration timeout) {
        throw new IllegalStateException(this + ": its messages go to a listener");
    }

    @Override
    void discard() {
        ReceivedMessage next;
        while ((next = poll()) != null) {
            next.release();
        }
    }
}

package io.parley.pipes.internal.unicast;

import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.SharedThreads;
import io.parley.endpoint.ReceivedMessage;
import io.parley.id.PeerId;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.SenderListener;
import io.parley.pipes.internal.SenderEvent;
import io.parley.pipes.internal.request.ResponseTarget;
import io.parley.pipes.internal.request.UnreadMessageHandler;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
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

    private final RateLimitedLogger failureLog = new RateLimitedLogger(log);
    private final Consumer<PipeMessage> listener;
    private final Executor executor;
    private final Function<ReceivedMessage, PipeMessage> reader;
    private final UnreadMessageHandler unread;
    private final EndpointMetrics metrics;
    private final Runnable delivery = this::deliver;
    private final Queue<ReceivedMessage> queue = new ConcurrentLinkedQueue<>();

    /** Whether a task delivers messages, or will. There is one task for each burst of messages. */
    private final AtomicBoolean delivering = new AtomicBoolean();

    /** The message with which a task begins. Most tasks of a direct executor have one message, which needs no queue. */
    private final AtomicReference<@Nullable ReceivedMessage> first = new AtomicReference<>();

    private volatile boolean discarding;

    ListenerInputPipe(
            PipeTicket ticket,
            Duration closeTimeout,
            Consumer<PipeMessage> listener,
            Executor executor,
            Function<ReceivedMessage, PipeMessage> reader,
            UnreadMessageHandler unread,
            EndpointMetrics metrics,
            @Nullable SenderListener senders) {
        super(ticket, closeTimeout, senders);
        this.listener = listener;
        this.executor = executor;
        this.reader = reader;
        this.unread = unread;
        this.metrics = metrics;
    }

    @Override
    void onSenderEvent(SenderEvent event) {
        onMessage(event);
    }

    @Override
    void onMessage(ReceivedMessage received) {
        if (tryStart()) {
            if (queue.isEmpty()) {
                first.setRelease(received);
            } else {
                queue.add(received);
            }
            schedule(delivery);
        } else {
            queue.add(received);
            if (tryStart()) { // the task has ended without this message
                schedule(delivery);
            }
        }
    }

    private boolean tryStart() {
        return !delivering.get() && delivering.compareAndSet(false, true);
    }

    private void schedule(Runnable task) {
        try {
            executor.execute(task);
        } catch (RuntimeException | Error e) { // it is shut down or full, or the system has no thread for it
            failureLog.warn("Dropped messages of {}, because its executor does not run a task", this, e);
            do {
                releaseAll();
                delivering.set(false);
            } while (!queue.isEmpty() && tryStart()); // a message was added meanwhile
        }
    }

    private @Nullable ReceivedMessage poll() {
        ReceivedMessage next = first.get() == null ? null : first.getAndSet(null); // null if it was discarded meanwhile
        return next == null ? queue.poll() : next;
    }

    private void deliver() {
        int delivered = 0;
        do {
            for (ReceivedMessage next = poll(); next != null; next = poll()) {
                if (delivered == BATCH) {
                    first.setRelease(next);
                    if (!yieldToOthers()) {
                        return;
                    }
                    delivered = 0;
                    continue;
                }
                deliver(next);
                delivered++;
            }
            delivering.set(false);
        } while (!queue.isEmpty() && tryStart()); // a message was added after the last poll
    }

    /** Schedules another task. Returns true if the executor has run it on this thread, which continues instead. */
    private boolean yieldToOthers() {
        Continuation continuation = new Continuation();
        schedule(continuation);
        return continuation.endScheduling();
    }

    /**
     * A task that continues the delivery. It does nothing if the executor runs it immediately, because with a direct executor
     * the stack would grow with each batch.
     */
    private final class Continuation implements Runnable {

        private final Thread scheduler = Thread.currentThread();

        /** Used by the thread that schedules the task. */
        private boolean scheduled;

        private boolean isDirect;

        @Override
        public void run() {
            if (Thread.currentThread() == scheduler && !scheduled) {
                isDirect = true;
            } else {
                deliver();
            }
        }

        boolean endScheduling() {
            scheduled = true;
            return isDirect;
        }
    }

    private void deliver(ReceivedMessage received) {
        PipeMessage message = null;
        try {
            if (received instanceof SenderEvent event) {
                notify(event);
                return;
            }
            message = read(reader, received);
            if (message == null) {
                return;
            }
            if (discarding) {
                ResponseTarget.discard(message);
            } else {
                listener.accept(message);
            }
        } catch (RuntimeException | Error e) { // an error too: it would end the delivery
            PipeMessage failed = message;
            SharedThreads.runGuarded(() -> fail(received.from(), failed, e)); // there may be no memory for it
        } finally {
            received.release();
        }
    }

    private void fail(PeerId from, @Nullable PipeMessage message, Throwable failure) {
        if (message != null) {
            ResponseTarget.fail(message, failure);
        }
        metrics.increment(Counter.LISTENER_FAILURES);
        failureLog.warn("Listener of {} failed on a message from {}", this, from, failure);
    }

    private void notify(SenderEvent event) {
        if (!discarding) {
            event.run();
        }
    }

    @Override
    public Optional<PipeMessage> receive(Duration timeout) {
        throw hasListener();
    }

    @Override
    public CompletableFuture<PipeMessage> receiveAsync() {
        throw hasListener();
    }

    @Override
    public Flow.Publisher<PipeMessage> publisher() {
        throw hasListener();
    }

    @Override
    void discard() {
        discarding = true;
        releaseAll(); // also if the executor does not run the task any more
    }

    private void releaseAll() {
        for (ReceivedMessage next = poll(); next != null; next = poll()) {
            unread.discard(next);
        }
    }
}

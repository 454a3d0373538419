package io.parley.pipes.internal.topic;

import io.parley.common.internal.RateLimitedLogger;
import io.parley.endpoint.ReceivedMessage;
import io.parley.pipes.PipeMessage;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes the messages of a {@link SubscriptionQueue} to a listener, one at a time and in order with any executor. Thread-safe. */
final class SubscriptionDispatcher {

    private static final Logger log = LoggerFactory.getLogger(SubscriptionDispatcher.class);

    /** The number of messages that one task delivers before it yields the executor's thread to other tasks. */
    private static final int BATCH = 256;

    private final SubscriptionQueue queue;
    private final Consumer<PipeMessage> listener;
    private final Executor executor;
    private final EndpointMetrics metrics;
    private final RateLimitedLogger failureLog = new RateLimitedLogger(log);
    private final AtomicBoolean delivering = new AtomicBoolean();

    SubscriptionDispatcher(
            SubscriptionQueue queue, Consumer<PipeMessage> listener, Executor executor, EndpointMetrics metrics) {
        this.queue = queue;
        this.listener = listener;
        this.executor = executor;
        this.metrics = metrics;
    }

    /** Called after a message was added to the queue. */
    void onAdded() {
        if (!delivering.get() && delivering.compareAndSet(false, true)) {
            schedule(this::deliver);
        }
    }

    private void schedule(Runnable task) {
        try {
            executor.execute(task);
        } catch (RuntimeException | Error e) { // it is shut down or full, or the system has no thread for it
            failureLog.warn("Dropped messages of a subscription, because its executor does not run a task", e);
            do {
                queue.drop();
                delivering.set(false);
            } while (!queue.isEmpty() && delivering.compareAndSet(false, true)); // a message was added meanwhile
        }
    }

    private void deliver() {
        do {
            int delivered = 0;
            for (ReceivedMessage next = queue.poll(); next != null; next = queue.poll()) {
                deliver(next);
                if (++delivered == BATCH) {
                    delivered = 0;
                    Continuation continuation = new Continuation();
                    schedule(continuation);
                    if (!continuation.endScheduling()) {
                        return;
                    }
                }
            }
            delivering.set(false);
        } while (!queue.isEmpty() && delivering.compareAndSet(false, true)); // a message was added after the last poll
    }

    private void deliver(ReceivedMessage received) {
        try {
            listener.accept(new PipeMessage(received.from(), received.message()));
        } catch (RuntimeException | Error e) { // an error too: it would end the delivery
            metrics.increment(Counter.LISTENER_FAILURES);
            failureLog.warn("Listener of a subscription failed on a message from {}", received.from(), e);
        } finally {
            received.release();
        }
    }

    /** Continues the delivery, unless the executor runs it immediately: with a direct executor the stack would grow. */
    private final class Continuation implements Runnable {

        private final Thread scheduler = Thread.currentThread();

        /** Used by the thread that schedules the task. */
        private boolean scheduled;

        private boolean direct;

        @Override
        public void run() {
            if (Thread.currentThread() == scheduler && !scheduled) {
                direct = true;
            } else {
                deliver();
            }
        }

        /** Returns whether the executor has run the task on this thread, which continues instead. */
        boolean endScheduling() {
            scheduled = true;
            return direct;
        }
    }
}

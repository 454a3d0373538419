package io.parley.discovery.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes advertisements to one listener, one at a time and in order, on the executor. Thread-safe. */
final class ListenerDispatcher {

    private static final Logger log = LoggerFactory.getLogger(ListenerDispatcher.class);

    private final RateLimitedLogger failureLog = new RateLimitedLogger(log);
    private final Consumer<SignedAdvertisement> listener;
    private final Executor executor;
    private final DiscoveryMetrics metrics;
    private final int capacity;
    private final Queue<SignedAdvertisement> queue = new ArrayDeque<>();
    private boolean running;
    private boolean ended;
    private @Nullable Runnable afterLast;

    /** @param capacity maximum number of queued advertisements; surplus ones are dropped */
    ListenerDispatcher(
            Consumer<SignedAdvertisement> listener, Executor executor, DiscoveryMetrics metrics, int capacity) {
        this.listener = listener;
        this.executor = executor;
        this.metrics = metrics;
        this.capacity = capacity;
    }

    /** Enqueues an advertisement, which the next {@link #run} delivers. The caller may call {@code run} without its locks. */
    void add(SignedAdvertisement found) {
        synchronized (queue) {
            if (ended) {
                return;
            }
            if (queue.size() < capacity) {
                queue.add(found);
                return;
            }
        }
        metrics.increment(Counter.LISTENER_OVERFLOWS);
    }

    /** Accepts no more advertisements, and runs the task on the executor after the last delivery. Only the first call counts. */
    void end(Runnable task) {
        synchronized (queue) {
            if (ended) {
                return;
            }
            ended = true;
            afterLast = task;
        }
        run();
    }

    /** Discards undelivered advertisements. */
    void discard() {
        synchronized (queue) {
            queue.clear();
        }
    }

    /** Delivers the queued advertisements. */
    void run() {
        synchronized (queue) {
            if (running || (queue.isEmpty() && afterLast == null)) {
                return;
            }
            running = true;
        }
        try {
            executor.execute(this::deliverAll);
        } catch (RejectedExecutionException e) { // the peer is closing
            discard();
            deliverAll();
        } catch (RuntimeException | Error e) { // such as a thread that cannot be created
            failureLog.warn("Dropped advertisements for a listener, because its executor does not run a task", e);
            discard();
            deliverAll();
        }
    }

    private void deliverAll() {
        SignedAdvertisement next;
        while ((next = pollNext()) != null) {
            deliver(next);
        }
        Runnable last = pollLastTask();
        if (last != null) {
            last.run();
        }
    }

    private @Nullable SignedAdvertisement pollNext() {
        synchronized (queue) {
            SignedAdvertisement next = queue.poll();
            if (next == null) {
                running = false;
            }
            return next;
        }
    }

    private @Nullable Runnable pollLastTask() {
        synchronized (queue) {
            if (running || !queue.isEmpty()) { // another thread continues
                return null;
            }
            Runnable last = afterLast;
            afterLast = null;
            return last;
        }
    }

    private void deliver(SignedAdvertisement found) {
        try {
            listener.accept(found);
        } catch (RuntimeException | Error e) { // an error too: it would end the delivery
            metrics.increment(Counter.LISTENER_FAILURES);
            failureLog.warn("Listener failed on {}", found, e);
        }
    }
}

package io.parley.discovery.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands advertisements to one listener, one at a time and in order, on the executor. Thread-safe. */
final class ListenerDispatcher {

    private static final Logger log = LoggerFactory.getLogger(ListenerDispatcher.class);

    private final Consumer<SignedAdvertisement> listener;
    private final Executor executor;
    private final DiscoveryMetrics metrics;
    private final int capacity;
    private final Queue<SignedAdvertisement> queue = new ArrayDeque<>();
    private boolean running;
    private boolean ended;
    private @Nullable Runnable afterLast;

    /** @param capacity how many wait at most; more are left out */
    ListenerDispatcher(Consumer<SignedAdvertisement> listener, Executor executor, DiscoveryMetrics metrics, int capacity) {
        this.listener = listener;
        this.executor = executor;
        this.metrics = metrics;
        this.capacity = capacity;
    }

    /** Takes one more. It is handed on at the next {@link #run}, which the caller may want to do without its locks. */
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

    /** Takes no more, and runs the task, on the executor, when the listener has had the last one. Only the first call counts. */
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

    /** Forgets what the listener has not had yet. */
    void discard() {
        synchronized (queue) {
            queue.clear();
        }
    }

    /** Hands on what has been added. */
    void run() {
        synchronized (queue) {
            if (running || (queue.isEmpty() && afterLast == null)) {
                return;
            }
            running = true;
        }
        try {
            executor.execute(this::deliverAll);
        } catch (RejectedExecutionException e) { // it is all over
            discard();
            deliverAll();
        }
    }

    private void deliverAll() {
        SignedAdvertisement next;
        while ((next = take()) != null) {
            deliver(next);
        }
        Runnable last = takeLast();
        if (last != null) {
            last.run();
        }
    }

    private @Nullable SignedAdvertisement take() {
        synchronized (queue) {
            SignedAdvertisement next = queue.poll();
            if (next == null) {
                running = false;
            }
            return next;
        }
    }

    private @Nullable Runnable takeLast() {
        synchronized (queue) {
            if (running || !queue.isEmpty()) { // another thread goes on
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
        } catch (RuntimeException e) {
            metrics.increment(Counter.LISTENER_FAILURES);
            log.warn("A listener failed on {}", found, e);
        }
    }
}

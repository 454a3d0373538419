package io.parley.common;

import java.util.concurrent.CompletableFuture;

/**
 * The lifecycle of everything that holds a resource. Thread-safe. Each method may be called any number of times.
 */
public interface AsyncCloseable extends AutoCloseable {

    /**
     * Starts an orderly close and returns immediately. No new work is accepted, work in progress may finish within a
     * bounded time, then every resource is released.
     *
     * @return {@link #whenClosed()}
     */
    CompletableFuture<Void> closeAsync();

    /**
     * Returns a future that completes normally after every resource is released, for any reason. It never fails. Each call
     * returns a copy. Completing or cancelling the copy has no effect on other callers.
     */
    CompletableFuture<Void> whenClosed();

    /** Returns whether closing has begun, so that no new work is accepted. */
    boolean isClosing();

    /** Returns whether every resource is released. */
    default boolean isClosed() {
        return whenClosed().isDone();
    }

    /**
     * Closes and waits until every resource is released. The wait is bounded by the close timeout of the limits, plus at
     * most two seconds for the release itself. An interrupt does not end the wait; the interrupt status of the thread is
     * kept. On an event loop this method does not wait, because the event loop has to do the work.
     */
    @Override
    void close();
}

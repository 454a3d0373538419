package io.parley.common;

import java.util.concurrent.CompletableFuture;

/**
 * The lifecycle of everything that holds a resource. Thread-safe: each method may be called from any thread, any number of
 * times.
 */
public interface AsyncCloseable extends AutoCloseable {

    /**
     * Starts an orderly close and returns immediately. No new work is accepted, work in progress may finish within a bounded
     * time, then every resource is released.
     *
     * @return {@link #whenClosed()}
     */
    CompletableFuture<Void> closeAsync();

    /**
     * Returns a future that completes normally after every resource is released, for any reason. It never fails. Each call
     * returns a copy: to complete or cancel it has no effect on others.
     */
    CompletableFuture<Void> whenClosed();

    /** Returns whether closing has begun, so that no new work is accepted. */
    boolean isClosing();

    /** Returns whether every resource is released. */
    default boolean isClosed() {
        return whenClosed().isDone();
    }

    /**
     * Closes and waits until every resource is released, at most the close timeout of the limits. On an event loop it does not
     * wait, because the event loop has to do the work.
     */
    @Override
    void close();
}

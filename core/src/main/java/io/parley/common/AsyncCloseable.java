package io.parley.common;

import io.parley.endpoint.EndpointLimits;
import java.util.concurrent.CompletableFuture;

/**
 * The lifecycle words that everything holding a resource shares. Every method may be called from any thread and any
 * number of times.
 */
public interface AsyncCloseable extends AutoCloseable {

    /**
     * Starts an orderly close and returns at once: no new work is taken, work in flight may finish within a bounded
     * time, then everything is released.
     *
     * @return {@link #whenClosed()}
     */
    CompletableFuture<Void> closeAsync();

    /** Completes normally once every resource is released, for whatever reason; never exceptionally. */
    CompletableFuture<Void> whenClosed();

    /** Whether closing has begun: nothing new is accepted any more. */
    boolean isClosed();

    /**
     * Closes and waits until all is released, which takes no longer than the close time-out of the {@link EndpointLimits}. On a
     * thread that serves connections it does not wait, because that thread is the one to do the work.
     */
    @Override
    void close();
}

package io.parley.common.internal;

import io.netty.util.concurrent.EventExecutorGroup;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Event executors that several users share, such as the peers of this JVM, so that the number of threads does not grow with the
 * number of users. They run while they have a user. Thread-safe.
 *
 * @param <G> the kind of executors, such as event loops
 */
public final class SharedEventExecutors<G extends EventExecutorGroup> {

    private final Supplier<G> factory;
    private @Nullable G running;
    private int users;

    /** @param factory creates the executors for the first user, and again after the last user has released them */
    public SharedEventExecutors(Supplier<G> factory) {
        this.factory = factory;
    }

    /** Returns the executors. The caller must {@link #release} them. */
    public synchronized G acquire() {
        G executors = running;
        if (executors == null) {
            executors = factory.get();
            running = executors;
        }
        users++;
        return executors;
    }

    /** Removes one user. The future completes after the threads have ended if it was the last one, else at once. */
    public CompletableFuture<Void> release() {
        G executors;
        synchronized (this) {
            executors = running;
            if (--users > 0 || executors == null) {
                return CompletableFuture.completedFuture(null);
            }
            running = null;
        }
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        executors.shutdownGracefully(0, 1, TimeUnit.SECONDS).addListener(ended -> stopped.complete(null));
        return stopped;
    }
}

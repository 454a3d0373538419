package io.parley.transport.tcp;

import io.netty.channel.EventLoopGroup;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Event loops that all transports of this JVM share, so that the number of threads does not grow with the number of peers. They
 * run while a transport is open. Thread-safe.
 */
final class SharedEventLoops {

    private final Supplier<EventLoopGroup> factory;
    private @Nullable EventLoopGroup running;
    private int users;

    SharedEventLoops(Supplier<EventLoopGroup> factory) {
        this.factory = factory;
    }

    /** Returns the event loops. The caller must {@link #release} them. */
    synchronized EventLoopGroup acquire() {
        EventLoopGroup loops = running;
        if (loops == null) {
            loops = factory.get();
            running = loops;
        }
        users++;
        return loops;
    }

    /** Removes one user. The future completes after the threads have ended if it was the last one, else at once. */
    CompletableFuture<Void> release() {
        EventLoopGroup loops;
        synchronized (this) {
            loops = running;
            if (--users > 0 || loops == null) {
                return CompletableFuture.completedFuture(null);
            }
            running = null;
        }
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).addListener(ended -> stopped.complete(null));
        return stopped;
    }
}

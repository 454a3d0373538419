package io.parley.transport.tcp;

import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Event loops that the transports of this JVM share, so that the number of threads does not grow with the number of peers. The
 * transports that wait in the same way share the same loops, which run while one of these transports is open. Thread-safe.
 */
final class SharedEventLoops {

    private static final class Shared {

        private final EventLoopGroup loops;
        private int users;

        private Shared(EventLoopGroup loops) {
            this.loops = loops;
        }
    }

    private final Function<Duration, EventLoopGroup> factory;
    private final Map<Duration, Shared> running = new HashMap<>();

    /** @param factory creates event loops that poll for the given time before they sleep */
    SharedEventLoops(Function<Duration, EventLoopGroup> factory) {
        this.factory = factory;
    }

    /** Returns the event loops that poll for this time before they sleep. The caller must {@link #release} them. */
    synchronized EventLoopGroup acquire(Duration maxSpin) {
        Shared shared = running.computeIfAbsent(maxSpin, absent -> new Shared(factory.apply(maxSpin)));
        shared.users++;
        return shared.loops;
    }

    /** Removes one user. The future completes after the threads have ended if it was the last one, else at once. */
    CompletableFuture<Void> release(Duration maxSpin) {
        EventLoopGroup unused;
        synchronized (this) {
            Shared shared = running.get(maxSpin);
            if (shared == null || --shared.users > 0) {
                return CompletableFuture.completedFuture(null);
            }
            running.remove(maxSpin);
            unused = shared.loops;
        }
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        unused.shutdownGracefully(0, 1, TimeUnit.SECONDS).addListener(ended -> stopped.complete(null));
        return stopped;
    }
}

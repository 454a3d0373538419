package io.parley.common.internal;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Implements {@link AsyncCloseable#close()}. */
public final class Closeables {

    private Closeables() {}

    /**
     * Closes and waits until every resource is released, at most {@code timeout}. The timeout is in system time, also if
     * the object runs in manual time, because it blocks a thread. Does not wait on an event loop, because the event loop
     * may have to do the work.
     */
    public static void closeAndAwait(AsyncCloseable closeable, Duration timeout) {
        closeable.closeAsync();
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
            return;
        }
        CompletableFuture<Void> released = closeable.whenClosed().copy();
        if (!released.isDone()) {
            Scheduler.Timer timer = Scheduler.system().schedule(timeout, () -> released.complete(null));
            released.join();
            timer.cancel();
        }
    }
}

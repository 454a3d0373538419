package io.parley.endpoint.link;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for the end of a close, as {@link io.parley.endpoint.AsyncCloseable#close()} promises. */
final class Waiting {

    private Waiting() {}

    static void forClose(CompletableFuture<Void> closed, Duration atMost) {
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
            return; // this thread may be the one that has to do the closing
        }
        try {
            closed.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            // Closing goes on by itself and is bounded.
        } catch (ExecutionException e) {
            throw new IllegalStateException("closing never fails", e);
        }
    }
}

package io.parley.pipes.internal;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Throwables;
import io.parley.error.ParleyException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** Implements blocking calls by their asynchronous forms. */
public final class BlockingCalls {

    private BlockingCalls() {}

    /**
     * Waits for the result of an asynchronous call, which has a timeout of its own. An interrupt cancels the call, and closes
     * the result if there is one already.
     *
     * @throws ParleyException the failure of the call
     * @throws IllegalStateException on an event loop, which must not block
     */
    public static <T extends AsyncCloseable> T await(CompletableFuture<T> call, String operation)
            throws InterruptedException {
        return await(call, operation, AsyncCloseable::closeAsync);
    }

    /** Waits for the result of an asynchronous call as {@link #await} does. The result needs no close. */
    public static <T> T awaitValue(CompletableFuture<T> call, String operation) throws InterruptedException {
        return await(call, operation, unneeded -> {});
    }

    private static <T> T await(CompletableFuture<T> call, String operation, Consumer<T> onUnneeded)
            throws InterruptedException {
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
            throw new IllegalStateException(operation + ": an event loop must not block; use the asynchronous form");
        }
        try {
            return call.get();
        } catch (ExecutionException e) {
            Throwable cause = Throwables.unwrap(e);
            throw cause instanceof ParleyException known ? known : new CompletionException(cause);
        } catch (InterruptedException e) {
            if (!call.cancel(false)) {
                call.thenAccept(onUnneeded);
            }
            throw e;
        }
    }
}

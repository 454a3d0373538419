package io.parley.examples.console;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for futures and removes the exceptions that futures wrap around a failure. */
public final class Futures {

    private Futures() {}

    /** Returns the failure without the wrappers that futures put around it. */
    public static Throwable unwrap(Throwable failure) {
        Throwable cause = failure.getCause();
        return cause != null && (failure instanceof CompletionException || failure instanceof ExecutionException)
                ? unwrap(cause)
                : failure;
    }

    /**
     * Waits for a future and returns its result. An interrupt does not end the wait.
     *
     * @throws RuntimeException the failure of the future, unwrapped; a checked exception stays in a
     *     {@link CompletionException}
     */
    public static <T> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw unwrap(e) instanceof RuntimeException failure ? failure : e;
        }
    }

    /**
     * Waits for a future and returns its result.
     *
     * @throws RuntimeException the failure of the future, unwrapped; a checked exception stays in a
     *     {@link CompletionException}
     * @throws TimeoutException if the future is not complete after {@code nanos} nanoseconds
     */
    public static <T> T get(CompletableFuture<T> future, long nanos) throws InterruptedException, TimeoutException {
        try {
            return future.get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw unwrap(e) instanceof RuntimeException failure ? failure : new CompletionException(unwrap(e));
        }
    }

    /** Returns the unwrapped failure of a future that has failed. */
    public static Throwable failureOf(CompletableFuture<?> failed) {
        return unwrap(failed.handle((result, failure) -> failure).join());
    }
}

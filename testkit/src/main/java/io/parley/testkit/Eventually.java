package io.parley.testkit;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Waits for what has to happen. The deadline is generous, as it costs nothing where the test passes. */
public final class Eventually {

    /** How long something may take on a busy machine. */
    public static final Duration DEADLINE = Duration.ofSeconds(30);

    private static final long POLL_MILLIS = 2;

    private Eventually() {}

    /** Returns when the condition holds; fails with the message, made then, when it does not in time. */
    public static void until(Supplier<String> message, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > DEADLINE.toNanos()) {
                throw new AssertionError("not within " + DEADLINE + ": " + message.get());
            }
            try {
                Thread.sleep(POLL_MILLIS); // between two looks at the condition, not instead of one
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted while waiting: " + message.get(), e);
            }
        }
    }

    /** The value of the future; fails with its failure as the cause. */
    public static <T> T get(Future<T> future, String what) {
        try {
            return future.get(DEADLINE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError(what + " failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError(what + " took longer than " + DEADLINE, e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while waiting for " + what, e);
        }
    }

    /** The failure of the future; fails when it succeeds. */
    public static Throwable failure(CompletableFuture<?> future, String what) {
        try {
            Object value = future.get(DEADLINE.toNanos(), TimeUnit.NANOSECONDS);
            throw new AssertionError(what + " should have failed, but gave " + value);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            return cause == null ? e : cause;
        } catch (TimeoutException e) {
            throw new AssertionError(what + " took longer than " + DEADLINE, e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while waiting for " + what, e);
        }
    }

    /** Waits for the latch. */
    public static void latch(CountDownLatch latch, String what) {
        try {
            if (!latch.await(DEADLINE.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new AssertionError("not within " + DEADLINE + ": " + what);
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while waiting for " + what, e);
        }
    }

    /** Runs it on that executor, and waits. */
    public static <T extends @Nullable Object> T on(java.util.concurrent.ExecutorService executor, Callable<T> task) {
        return get(executor.submit(task), "a task on the executor");
    }

    /** Runs it on that executor, and waits. */
    public static void run(java.util.concurrent.ExecutorService executor, Runnable task) {
        get(executor.submit(task), "a task on the executor");
    }
}

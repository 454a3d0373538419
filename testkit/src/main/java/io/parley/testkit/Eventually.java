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

/** Waits for conditions and futures. The deadline is long because it costs no time if the test passes. */
public final class Eventually {

    /** The maximum waiting time, long enough for a busy machine. */
    public static final Duration DEADLINE = Duration.ofSeconds(30);

    private static final long POLL_MILLIS = 2;

    private Eventually() {}

    /** Waits until a condition is true. Fails with the message, which is created at that time, after {@link #DEADLINE}. */
    public static void until(Supplier<String> message, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > DEADLINE.toNanos()) {
                throw new AssertionError("not within " + DEADLINE + ": " + message.get());
            }
            try {
                Thread.sleep(POLL_MILLIS); // the interval between two checks of the condition
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted while waiting: " + message.get(), e);
            }
        }
    }

    /** Waits for a future and returns its value. Fails if the future fails, with its failure as the cause. */
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

    /** Waits for a future and returns its failure. Fails if the future succeeds. */
    public static Throwable failure(CompletableFuture<?> future, String what) {
        try {
            Object value = future.get(DEADLINE.toNanos(), TimeUnit.NANOSECONDS);
            throw new AssertionError(what + ": succeeded with " + value);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            return cause == null ? e : cause;
        } catch (TimeoutException e) {
            throw new AssertionError(what + " took longer than " + DEADLINE, e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while waiting for " + what, e);
        }
    }

    /** Waits for a latch. */
    public static void latch(CountDownLatch latch, String what) {
        try {
            if (!latch.await(DEADLINE.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new AssertionError("not within " + DEADLINE + ": " + what);
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while waiting for " + what, e);
        }
    }

    /** Runs a task on an executor and waits for it. */
    public static <T extends @Nullable Object> T on(java.util.concurrent.ExecutorService executor, Callable<T> task) {
        return get(executor.submit(task), "a task on the executor");
    }

    /** Runs a task on an executor and waits for it. */
    public static void run(java.util.concurrent.ExecutorService executor, Runnable task) {
        get(executor.submit(task), "a task on the executor");
    }
}

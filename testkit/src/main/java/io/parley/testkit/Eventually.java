package io.parley.testkit;

import io.parley.common.Scheduler;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Waits for conditions of tests. The deadline is long, because a passing test does not wait for it. */
public final class Eventually {

    /** The maximum time of one condition on a loaded machine. */
    public static final Duration DEADLINE = Duration.ofSeconds(30);

    private static final long POLL_MILLIS = 2;

    private Eventually() {}

    /** Waits until the condition holds; fails with the message if it does not within the deadline. */
    public static void until(Supplier<String> message, BooleanSupplier condition) {
        long start = Scheduler.system().nanoTime();
        while (!condition.getAsBoolean()) {
            if (Scheduler.system().nanoTime() - start > DEADLINE.toNanos()) {
                throw new AssertionError("not within " + DEADLINE + ": " + message.get());
            }
            try {
                Thread.sleep(POLL_MILLIS); // the interval between two checks, not a delay instead of a check
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted while waiting: " + message.get(), e);
            }
        }
    }

    /** Waits for the future and returns its value; fails with the failure of the future as the cause. */
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

    /** Waits for the future and returns its failure; fails if the future succeeds. */
    public static Throwable failure(CompletableFuture<?> future, String what) {
        try {
            Object value = future.get(DEADLINE.toNanos(), TimeUnit.NANOSECONDS);
            throw new AssertionError(what + " succeeded instead of failing: " + value);
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

    /** Runs the task on the executor and returns its result. */
    public static <T extends @Nullable Object> T on(ExecutorService executor, Callable<T> task) {
        return get(executor.submit(task), "a task on the executor");
    }

    /** Runs the task on the executor and waits for its end. */
    public static void run(ExecutorService executor, Runnable task) {
        get(executor.submit(task), "a task on the executor");
    }
}

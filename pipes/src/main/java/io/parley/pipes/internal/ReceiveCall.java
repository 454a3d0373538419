package io.parley.pipes.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * The future of a call that waits for a message. The queue and the application, which may cancel it or set a timeout, both try to claim
 * the call; the first one completes it. So the queue knows before it completes the call whether the call takes its message. Thread-safe.
 */
final class ReceiveCall<T> extends CompletableFuture<T> {

    private final AtomicBoolean claimed = new AtomicBoolean();

    /** Returns true once. The caller must complete the call then. */
    boolean claim() {
        return claimed.compareAndSet(false, true);
    }

    boolean isClaimed() {
        return claimed.get();
    }

    /** Completes a call that the queue has claimed. */
    void deliver(T value) {
        super.complete(value);
    }

    @Override
    public boolean complete(T value) {
        return claim() && super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return claim() && super.completeExceptionally(failure);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return claim() ? super.cancel(mayInterruptIfRunning) : isCancelled();
    }

    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        CompletableFuture.<T>supplyAsync(supplier::get, executor).whenComplete((value, failure) -> {
            if (failure == null) {
                complete(value);
            } else {
                completeExceptionally(failure);
            }
        });
        return this;
    }
}

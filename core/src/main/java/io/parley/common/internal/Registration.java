package io.parley.common.internal;

import io.parley.common.AsyncCloseable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** An {@link AsyncCloseable} that undoes a registration. Closing takes no time. Thread-safe. */
public final class Registration implements AsyncCloseable {

    private final Runnable undo;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /**
     * Creates a registration.
     *
     * @param undo runs once, on the first close
     */
    public Registration(Runnable undo) {
        this.undo = undo;
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            undo.run();
            closed.complete(null);
        }
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return closing.get();
    }

    @Override
    public void close() {
        closeAsync();
    }
}

package io.parley.common.internal;

import io.parley.common.AsyncCloseable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** For implementations: something that is registered until it is closed, which never takes time. Safe from any thread. */
public final class Registration implements AsyncCloseable {

    private final Runnable undo;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** @param undo runs once, at the first close */
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

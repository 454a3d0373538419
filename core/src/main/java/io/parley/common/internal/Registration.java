package io.parley.common.internal;

import io.parley.common.AsyncCloseable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/** An {@link AsyncCloseable} that undoes a registration. Closing takes no time. Thread-safe. */
public final class Registration implements AsyncCloseable {

    private final Runnable undo;
    private final ReentrantLock undoing = new ReentrantLock();
    private volatile boolean closing;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /**
     * Creates a registration.
     *
     * @param undo runs once, on the first close
     */
    public Registration(Runnable undo) {
        this.undo = undo;
    }

    /** Returns after the registration is undone, also if another thread does that. */
    @Override
    public CompletableFuture<Void> closeAsync() {
        undoing.lock();
        try {
            if (!closing) {
                closing = true;
                undo.run();
            }
        } finally {
            undoing.unlock();
        }
        closed.complete(null); // without the lock, because dependents may do anything
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return closing;
    }

    @Override
    public void close() {
        closeAsync();
    }
}

package io.parley.rendezvous.internal;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** How a service closes: first it says good-bye, then it ends what it has open. Also when the endpoint closes. Thread-safe. */
abstract class AbstractRendezvousService implements AsyncCloseable {

    private final RendezvousContext overlay;
    private final List<AsyncCloseable> open = new CopyOnWriteArrayList<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    AbstractRendezvousService(RendezvousContext overlay) {
        this.overlay = overlay;
    }

    /** Closes that at the end as well. */
    final void owns(AsyncCloseable resource) {
        open.add(resource);
    }

    /** Closes this when the endpoint closes. */
    final void followsEndpoint() {
        overlay.resolver().whenClosed().thenRun(this::closeAsync);
    }

    /** Says good-bye; completes when that is done or can't be. */
    abstract CompletableFuture<Void> farewell();

    /** Ends everything else. */
    abstract void end();

    @Override
    public final CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            farewell().whenComplete((said, failure) -> {
                open.forEach(AsyncCloseable::closeAsync);
                overlay.resolver().closeAsync();
                end();
                closed.complete(null);
            });
        }
        return closed.copy();
    }

    @Override
    public final CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public final boolean isClosing() {
        return closing.get();
    }

    @Override
    public final void close() {
        Closeables.closeAndAwait(this, overlay.endpoint().limits().closeTimeout());
    }
}

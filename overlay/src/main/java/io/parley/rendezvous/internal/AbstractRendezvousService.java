package io.parley.rendezvous.internal;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.id.GroupId;
import io.parley.resolver.internal.Propagator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * The lifecycle of a service: it signs off at other peers, then it closes its resources. It also closes when the endpoint
 * closes. Thread-safe.
 */
abstract class AbstractRendezvousService implements RendezvousRole {

    private final RendezvousContext context;
    private final List<AsyncCloseable> resources = new CopyOnWriteArrayList<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Fail the futures that are not done, after the close. Dependents of {@link #closed} would stay after their futures are done. */
    private final Set<Runnable> closeTasks = ConcurrentHashMap.newKeySet();

    AbstractRendezvousService(RendezvousContext context) {
        this.context = context;
    }

    /** Returns the component that sends and receives the messages of all groups. */
    abstract GroupMessageRouter router();

    /** Tells other peers that this service ends. The future completes, also after a failure. */
    abstract CompletableFuture<Void> signOff();

    /** Releases everything that is not a {@linkplain #addResource resource}. */
    abstract void release();

    /** Takes ownership of {@code resource}: it is closed after the sign-off. */
    final void addResource(AsyncCloseable resource) {
        resources.add(resource);
    }

    /** Closes this service when the endpoint closes. */
    final void closeWithEndpoint() {
        context.resolver().whenClosed().thenRun(this::closeAsync);
    }

    @Override
    public final Propagator propagator(GroupId group) {
        return router().propagator(group);
    }

    @Override
    public final RendezvousMetrics metrics() {
        return context.metrics();
    }

    @Override
    public final CompletableFuture<Void> whenOnline() {
        CompletableFuture<Void> online = new CompletableFuture<>();
        Runnable fail = () -> online.completeExceptionally(RendezvousContext.closedException());
        closeTasks.add(fail);
        AsyncCloseable registration = index().onAvailable(() -> online.complete(null));
        online.whenComplete((done, failure) -> {
            closeTasks.remove(fail);
            registration.closeAsync();
        });
        if (closed.isDone()) {
            fail.run();
        }
        return online;
    }

    @Override
    public final CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            signOff().whenComplete((done, failure) -> closeResources());
        }
        return closed.copy();
    }

    private void closeResources() {
        CompletableFuture<?>[] closes = Stream.concat(resources.stream(), Stream.of(context.resolver()))
                .map(AsyncCloseable::closeAsync)
                .toArray(CompletableFuture<?>[]::new);
        try {
            router().close();
            release();
        } finally {
            CompletableFuture.allOf(closes).whenComplete((done, failure) -> {
                closed.complete(null);
                closeTasks.forEach(Runnable::run);
            });
        }
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
        Closeables.closeAndAwait(this, context.endpoint().limits().closeTimeout());
    }
}

package io.parley.group.internal;

import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.group.PeerGroup;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * The state that services above the overlay keep for one group, one object per type. A lookup of an existing object takes no lock.
 * Thread-safe.
 */
final class GroupExtensions {

    private final PeerGroup group;
    private final Scheduler scheduler;
    private final Duration closeTimeout;
    private final ConcurrentMap<Class<?>, AsyncCloseable> byType = new ConcurrentHashMap<>();
    private boolean closing;

    /** @param closeTimeout the maximum time that the group waits for the close of all extensions */
    GroupExtensions(PeerGroup group, Scheduler scheduler, Duration closeTimeout) {
        this.group = group;
        this.scheduler = scheduler;
        this.closeTimeout = closeTimeout;
    }

    /** Implements {@link PeerGroup#extension}. */
    <T extends AsyncCloseable> T get(Class<T> type, Function<? super PeerGroup, ? extends T> factory) {
        AsyncCloseable known = byType.get(type);
        return known != null && !known.isClosing() ? type.cast(known) : create(type, factory);
    }

    private synchronized <T extends AsyncCloseable> T create(
            Class<T> type, Function<? super PeerGroup, ? extends T> factory) {
        AsyncCloseable known = byType.get(type);
        if (known != null && !known.isClosing()) {
            return type.cast(known); // created meanwhile
        }
        if (closing) {
            throw ErrorCode.CLOSED.exception("group " + group.name() + ": closed");
        }
        T created = factory.apply(group);
        byType.put(type, created);
        created.whenClosed().thenRun(() -> byType.remove(type, created));
        return created;
    }

    /** Closes all extensions. Returns a future that completes when they are closed, or after the timeout. */
    CompletableFuture<Void> closeAsync() {
        List<AsyncCloseable> open;
        synchronized (this) {
            closing = true;
            open = List.copyOf(byType.values());
        }
        CompletableFuture<Void> closed = CompletableFuture.allOf(
                open.stream().map(AsyncCloseable::closeAsync).toArray(CompletableFuture<?>[]::new));
        if (!closed.isDone()) {
            Scheduler.Timer timer = scheduler.schedule(closeTimeout, () -> closed.complete(null));
            closed.whenComplete((done, failure) -> timer.cancel());
        }
        return closed;
    }
}

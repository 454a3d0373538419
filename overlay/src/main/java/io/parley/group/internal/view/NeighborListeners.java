package io.parley.group.internal.view;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Registration;
import io.parley.common.internal.SerialExecutor;
import io.parley.group.PeerGroup;
import io.parley.group.internal.view.MemberViewCounters.Counter;
import io.parley.id.PeerId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of one view for its neighbors. For a slow one only the newest neighbors wait. Thread-safe. */
final class NeighborListeners {

    private static final Logger log = LoggerFactory.getLogger(NeighborListeners.class);

    private final PeerGroup group;
    private final RateLimitedLogger failureLog;
    private final List<Notifier> notifiers = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    NeighborListeners(PeerGroup group) {
        this.group = group;
        this.failureLog = new RateLimitedLogger(log, group.scheduler());
    }

    /** Calls one listener. */
    private final class Notifier {

        private final Consumer<Set<PeerId>> listener;
        private final AtomicReference<@Nullable Set<PeerId>> newest = new AtomicReference<>();
        private volatile boolean ended;
        private final SerialExecutor calls =
                SerialExecutor.retrying(group.callbackExecutor(), group.scheduler(), () -> ended || closed);

        Notifier(Consumer<Set<PeerId>> listener) {
            this.listener = listener;
        }

        void notify(Set<PeerId> neighbors) {
            if (newest.getAndSet(neighbors) == null) {
                calls.execute(this::call);
            }
        }

        private void call() {
            Set<PeerId> neighbors = newest.getAndSet(null);
            if (neighbors == null || ended || closed) {
                return;
            }
            try {
                listener.accept(neighbors);
            } catch (RuntimeException | Error e) { // an error too: it would end all further calls
                group.count(Counter.GROUPCASTS_LISTENER_FAILURES, 1);
                failureLog.warn("Listener of the neighbors in group {} failed", group.name(), e);
            }
        }
    }

    AsyncCloseable add(Consumer<Set<PeerId>> listener) {
        Notifier notifier = new Notifier(listener);
        notifiers.add(notifier);
        return new Registration(() -> {
            notifier.ended = true;
            notifiers.remove(notifier);
        });
    }

    /** Passes the present neighbors to all listeners. */
    void notifyAll(Set<PeerId> neighbors) {
        notifiers.forEach(notifier -> notifier.notify(neighbors));
    }

    void close() {
        closed = true;
        notifiers.clear();
    }
}

package io.parley.endpoint.internal.context;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Registration;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.id.PeerId;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.LoggerFactory;

/**
 * Notifies listeners of connects and disconnects in order. Callers record an event while they hold the lock that guards the
 * change, and call {@link #dispatch} after they release it. Thread-safe.
 */
public final class ConnectionEventDispatcher {

    private final RateLimitedLogger failureLog =
            new RateLimitedLogger(LoggerFactory.getLogger(ConnectionEventDispatcher.class));

    private record ConnectionEvent(PeerId peer, boolean connected) {}

    private final EndpointMetrics metrics;
    private final int maxPending;
    private final List<PeerConnectionListener> listeners = new CopyOnWriteArrayList<>();
    private final List<Registration> registrations = new CopyOnWriteArrayList<>();
    private final Queue<ConnectionEvent> pending = new ConcurrentLinkedQueue<>();
    private final AtomicInteger pendingDispatches = new AtomicInteger();
    private volatile boolean closed;

    /**
     * @param maxPending the number of pending dispatches above which the dispatcher
     *                   {@linkplain #isOverloaded is overloaded}
     */
    public ConnectionEventDispatcher(EndpointMetrics metrics, int maxPending) {
        this.metrics = metrics;
        this.maxPending = maxPending;
    }

    public AsyncCloseable add(PeerConnectionListener listener) {
        Registration[] self = new Registration[1];
        Registration registration = new Registration(() -> {
            listeners.remove(listener);
            registrations.remove(self[0]);
        });
        self[0] = registration;
        registrations.add(registration);
        listeners.add(listener);
        if (closed) { // closed after the caller checked the endpoint
            registration.closeAsync();
        }
        return registration;
    }

    public void recordConnected(PeerId peer) {
        pending.add(new ConnectionEvent(peer, true));
    }

    public void recordDisconnected(PeerId peer) {
        pending.add(new ConnectionEvent(peer, false));
    }

    /**
     * Dispatches the recorded events. Returns immediately if another thread is dispatching; that thread dispatches them.
     */
    public void dispatch() {
        if (pendingDispatches.getAndIncrement() > 0) {
            return;
        }
        int calls = 1;
        do {
            ConnectionEvent next;
            while ((next = pending.poll()) != null) {
                dispatch(next);
            }
            calls = pendingDispatches.addAndGet(-calls);
        } while (calls > 0);
    }

    private void dispatch(ConnectionEvent event) {
        for (PeerConnectionListener listener : listeners) {
            try {
                if (event.connected) {
                    listener.onConnected(event.peer);
                } else {
                    listener.onDisconnected(event.peer);
                }
            } catch (Throwable e) { // must not affect the connection or the other listeners
                metrics.increment(Counter.LISTENER_FAILURES);
                failureLog.warn(
                        "Connection listener failed on the {} of peer {}",
                        event.connected ? "connect" : "disconnect",
                        event.peer,
                        e);
            }
        }
    }

    /**
     * Returns whether a listener blocks while more than {@code maxPending} events wait. Then no more connections are
     * accepted.
     */
    public boolean isOverloaded() {
        return pendingDispatches.get() > maxPending;
    }

    public void close() {
        closed = true;
        registrations.forEach(Registration::closeAsync);
    }
}

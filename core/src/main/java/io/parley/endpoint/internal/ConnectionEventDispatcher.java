package io.parley.endpoint.internal;

import io.parley.common.AsyncCloseable;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.id.PeerId;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells those who watch which links have come and gone, in the order in which that was noted. Who changes something notes
 * it under the lock that guards it, and calls {@link #tell} without that lock. Safe from any thread.
 */
final class ConnectionEventDispatcher {

    private static final Logger log = LoggerFactory.getLogger(ConnectionEventDispatcher.class);

    private record ConnectionEvent(PeerId peer, boolean connected) {}

    private final EndpointMetrics metrics;
    private final int maxUntold;
    private final List<Subscription> watches = new CopyOnWriteArrayList<>();
    private final Queue<ConnectionEvent> untold = new ConcurrentLinkedQueue<>();
    private final AtomicInteger untoldCount = new AtomicInteger();
    private volatile boolean closed;

    /** @param maxUntold from then on it {@linkplain #isBehind is behind} */
    ConnectionEventDispatcher(EndpointMetrics metrics, int maxUntold) {
        this.metrics = metrics;
        this.maxUntold = maxUntold;
    }

    AsyncCloseable watch(PeerConnectionListener listener) {
        Subscription watch = new Subscription(listener);
        watches.add(watch);
        if (closed) { // since the endpoint was looked at
            watch.closeAsync();
        }
        return watch;
    }

    void noteConnected(PeerId peer) {
        untold.add(new ConnectionEvent(peer, true));
    }

    void noteDisconnected(PeerId peer) {
        untold.add(new ConnectionEvent(peer, false));
    }

    /** Tells what has been noted; returns at once when another thread is at it, which then tells this as well. */
    void tell() {
        if (untoldCount.getAndIncrement() > 0) {
            return;
        }
        int calls = 1;
        do {
            ConnectionEvent next;
            while ((next = untold.poll()) != null) {
                tell(next);
            }
            calls = untoldCount.addAndGet(-calls);
        } while (calls > 0);
    }

    private void tell(ConnectionEvent change) {
        for (Subscription watch : watches) {
            try {
                if (change.connected) {
                    watch.listener.onConnected(change.peer);
                } else {
                    watch.listener.onDisconnected(change.peer);
                }
            } catch (Throwable e) { // the connection, and the others who watch, have nothing to do with it
                metrics.increment(Counter.LISTENER_FAILURES);
                log.warn(
                        "A listener failed on hearing that peer {} {}",
                        change.peer,
                        change.connected ? "is connected" : "is no longer connected",
                        e);
            }
        }
    }

    /** Whether listeners stand still while peers come and go, so that there should be no more of that. */
    boolean isBehind() {
        return untoldCount.get() > maxUntold;
    }

    void close() {
        closed = true;
        watches.forEach(Subscription::closeAsync);
    }

    private final class Subscription implements AsyncCloseable {

        private final PeerConnectionListener listener;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        private Subscription(PeerConnectionListener listener) {
            this.listener = listener;
        }

        @Override
        public CompletableFuture<Void> closeAsync() {
            watches.remove(this);
            ended.complete(null);
            return ended.copy();
        }

        @Override
        public CompletableFuture<Void> whenClosed() {
            return ended.copy();
        }

        @Override
        public boolean isClosing() {
            return ended.isDone();
        }

        @Override
        public void close() {
            closeAsync();
        }
    }
}

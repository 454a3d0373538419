package io.parley.pipes.internal.bidirectional;

import io.parley.common.AsyncCloseable;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Reports the losses of connections to those who wait for a channel over them, and would not learn of a loss before it is open. Of one
 * group, which closes it. Thread-safe.
 */
final class ConnectionLosses implements AsyncCloseable {

    private final Map<PeerId, Set<Runnable>> listeners = new HashMap<>();

    /** One for all, because remote peers open many pipes. */
    private final AsyncCloseable connections;

    private ConnectionLosses(PeerGroup group) {
        this.connections = group.endpoint().addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onDisconnected(PeerId peer) {
                listeners(peer).forEach(Runnable::run);
            }
        });
    }

    /**
     * Returns those of a group.
     *
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#CLOSED} if the group is closed
     */
    static ConnectionLosses of(PeerGroup group) {
        return group.extension(ConnectionLosses.class, ConnectionLosses::new);
    }

    private synchronized List<Runnable> listeners(PeerId peer) {
        return List.copyOf(listeners.getOrDefault(peer, Set.of()));
    }

    /** Adds a listener of the losses of connections to a peer. It must not block. */
    synchronized void add(PeerId peer, Runnable listener) {
        listeners.computeIfAbsent(peer, added -> new LinkedHashSet<>()).add(listener);
    }

    synchronized void remove(PeerId peer, Runnable listener) {
        listeners.computeIfPresent(peer, (same, present) -> {
            present.remove(listener);
            return present.isEmpty() ? null : present;
        });
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return connections.closeAsync();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return connections.whenClosed();
    }

    @Override
    public boolean isClosing() {
        return connections.isClosing();
    }

    @Override
    public void close() {
        connections.close();
    }
}

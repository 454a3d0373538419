package io.parley.examples.conversation;

import io.parley.common.AsyncCloseable;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import java.util.concurrent.CompletableFuture;

/**
 * Watches the connection to one peer. Connects again after a loss, and decides when the peer is lost: when it has been
 * disconnected for the reconnect timeout. Thread-safe.
 */
final class ConnectionMonitor implements AutoCloseable {

    private static final long CONNECTED = Long.MAX_VALUE;

    private final Endpoint endpoint;
    private final PeerId other;
    private final AsyncCloseable registration;

    private CompletableFuture<Void> connecting = CompletableFuture.completedFuture(null);

    /** The time of the disconnect, in nanoseconds of {@link System#nanoTime}, or {@link #CONNECTED}. */
    private volatile long disconnectNanos = CONNECTED;

    /**
     * Starts to watch a peer.
     *
     * @param onReconnect runs on an event loop after each connect and must not block
     */
    ConnectionMonitor(Endpoint endpoint, PeerId other, Runnable onReconnect) {
        this.endpoint = endpoint;
        this.other = other;
        this.registration = endpoint.addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onConnected(PeerId peer) {
                if (peer.equals(other)) {
                    disconnectNanos = CONNECTED;
                    onReconnect.run();
                }
            }

            @Override
            public void onDisconnected(PeerId peer) {
                if (peer.equals(other)) {
                    disconnectNanos = System.nanoTime();
                }
            }
        });
        if (!endpoint.connectedPeers().contains(other)) {
            disconnectNanos = System.nanoTime();
        }
    }

    boolean isLost() {
        long since = disconnectNanos;
        return since != CONNECTED
                && System.nanoTime() - since
                        > endpoint.limits().reconnectTimeout().toNanos();
    }

    /**
     * Starts to connect if the peer is disconnected. At a host this fails, because it does not know the address of the guest.
     *
     * @throws ParleyException {@link ErrorCode#DISCONNECTED} if the peer is lost
     */
    synchronized void check() {
        if (isLost()) {
            throw ErrorCode.DISCONNECTED.exception("lost the connection to the other peer");
        }
        if (disconnectNanos != CONNECTED && connecting.isDone()) {
            connecting = endpoint.connect(other);
        }
    }

    /** Stops watching. */
    @Override
    public void close() {
        registration.closeAsync();
    }
}

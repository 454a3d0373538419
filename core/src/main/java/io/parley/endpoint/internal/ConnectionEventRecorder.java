package io.parley.endpoint.internal;

import io.parley.endpoint.internal.context.ConnectionEventDispatcher;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.link.Link;
import io.parley.id.PeerId;
import org.jspecify.annotations.Nullable;

/**
 * Records what the listeners of connections are shown of one remote peer: a connect and a disconnect in turn. They are not shown that a
 * relayed link becomes direct, even if it ends first: a <em>move</em>. Not thread-safe.
 */
final class ConnectionEventRecorder {

    private final PeerId peer;
    private final ConnectionEventDispatcher events;

    /** Whether this is a peer's association with itself, which is not shown. */
    private final boolean hidden;

    /** Whether a relayed link has ended while the direct one that may replace it is in its handshake. */
    private boolean moving;

    /** The instance of the peer at the other end of the last link. */
    private long lastInstance;

    ConnectionEventRecorder(PeerId peer, EndpointContext context) {
        this.peer = peer;
        this.events = context.connectionEvents();
        this.hidden = peer.equals(context.self());
    }

    /** @param replaced the active link so far */
    void onActivated(@Nullable Link replaced, Link link) {
        boolean relayed = moving || (replaced != null && replaced.isRelayed());
        boolean moved = relayed && !link.isRelayed() && link.remote().instance() == lastInstance;
        boolean connected = moving || replaced != null;
        moving = false;
        lastInstance = link.remote().instance();
        if (connected && !moved) {
            recordDisconnected();
        }
        if (!moved && !hidden) {
            events.recordConnected(peer);
        }
    }

    /**
     * Called when the active link is lost.
     *
     * @param move whether a direct link may replace it
     */
    void onLost(boolean move) {
        moving = move;
        if (!move) {
            recordDisconnected();
        }
    }

    /** Called when no direct link replaces the relayed one that was lost. Returns whether one was awaited. */
    boolean endMove() {
        boolean ended = moving;
        moving = false;
        if (ended) {
            recordDisconnected();
        }
        return ended;
    }

    private void recordDisconnected() {
        if (!hidden) {
            events.recordDisconnected(peer);
        }
    }
}

package io.parley.endpoint;

import io.parley.id.PeerId;

/**
 * Hears which other peers are connected. It is called on threads that serve connections, one call at a time and in order,
 * so it must not block: while it stands still nobody hears anything, and after a while new connections are refused. What it
 * throws is counted and logged.
 */
public interface PeerConnectionListener {

    /** There is a connection to that peer. */
    default void onConnected(PeerId peer) {}

    /**
     * The connection to that peer has ended: the peer may have gone, or restarted, or have had nothing to say for long. It
     * may be connected again before this is heard; then {@link #onConnected} follows.
     */
    default void onDisconnected(PeerId peer) {}
}

package io.parley.endpoint;

import io.parley.id.PeerId;

/**
 * Receives the connects and disconnects of remote peers, one call at a time and in order. Called on event loops; must not
 * block. While a listener blocks, no listener receives events, and after some time new connections are refused. Exceptions
 * are counted and logged.
 */
public interface PeerConnectionListener {

    /** Called when a remote peer is connected. */
    default void onConnected(PeerId peer) {}

    /**
     * Called when the connection to a remote peer has ended because the peer stopped, restarted or was idle. The peer may
     * be connected again before this call; then {@link #onConnected} follows.
     */
    default void onDisconnected(PeerId peer) {}
}

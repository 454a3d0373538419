package io.parley.endpoint;

import io.parley.id.PeerId;

/** Hears which other peers are connected. */
public interface PresenceListener {

    /** There is a connection to that peer. Called on the thread that serves it, so it must not block. */
    default void onConnected(PeerId peer) {}

    /**
     * There is no longer a connection to that peer, which may have gone, or have had nothing to say for long. Called on the
     * thread that served it, so it must not block. It may be connected again before this is heard.
     */
    default void onDisconnected(PeerId peer) {}
}

package io.parley.endpoint;

import io.parley.id.PeerId;

/** Decides whether a remote peer may open a channel to a service. Thread-safe. */
@FunctionalInterface
public interface ChannelAcceptor {

    /**
     * Accepts a channel. Called on the event loop of the connection, before the first message of the channel. Must not block. A channel
     * that continues on another connection is not accepted again.
     *
     * @param sender the remote peer, authenticated
     * @return the listener of this channel
     * @throws io.parley.error.ParleyException to refuse the channel with that code and text, which the remote peer learns
     */
    ChannelListener accept(PeerId sender);
}

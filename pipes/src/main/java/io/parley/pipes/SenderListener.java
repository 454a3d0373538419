package io.parley.pipes;

import io.parley.id.PeerId;

/**
 * Follows the senders of an input pipe. A sender is one output pipe of a remote peer, which may have several. Each one is reported as
 * opened, then as ended or lost; its messages are delivered in between. A connection that breaks and is replaced is not reported. See
 * {@link Pipes#withSenderListener}.
 */
public interface SenderListener {

    /** Called when a sender has connected, before its first message. */
    default void onOpened(PeerId sender) {}

    /** Called when a sender has closed its output pipe, after its last message was delivered. */
    default void onEnded(PeerId sender) {}

    /**
     * Called when a sender cannot continue, after its last message was delivered. Its process has ended or was not reachable for
     * {@link io.parley.endpoint.EndpointLimits#resumeTimeout()}, it has closed the output pipe while it was not connected, or this peer
     * had no memory for a message. Messages may be missing.
     */
    default void onLost(PeerId sender) {}
}

package io.parley.transport;

import io.netty.buffer.ByteBuf;

/** Receives the payloads that other peers propagate. */
@FunctionalInterface
public interface PropagationListener {

    /**
     * Called for each payload, one call at a time, on the event loop of the transport. Must not block: transports of other
     * peers may share the event loop. An exception is counted and logged and has no other effect.
     *
     * @param sender  the peer that has signed the payload, and its own addresses, which may be empty and are not verified
     * @param payload the payload; {@code payload} is borrowed for this call
     */
    void onPropagated(PeerAddress sender, ByteBuf payload);
}

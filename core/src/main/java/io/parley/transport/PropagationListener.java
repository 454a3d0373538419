package io.parley.transport;

import io.netty.buffer.ByteBuf;

/** Hears what other peers propagate. */
@FunctionalInterface
public interface PropagationListener {

    /**
     * Another peer has said something. Called one at a time, on the transport's thread, so it must not block. When it
     * throws, that is counted and logged, and nothing else happens.
     *
     * @param sender who has signed it, and where that peer says it can be reached: perhaps nowhere, and not tried
     * @param payload borrowed for this call
     */
    void onPropagated(PeerAddress sender, ByteBuf payload);
}

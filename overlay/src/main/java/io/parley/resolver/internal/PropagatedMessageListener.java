package io.parley.resolver.internal;

import io.parley.message.Message;
import io.parley.transport.PeerAddress;

/** Hears what other peers propagate to one service. */
@FunctionalInterface
public interface PropagatedMessageListener {

    /**
     * Another peer has said something. Called on the thread that received it, so it must not block.
     *
     * @param sender who has said it first, proven by the propagator, and where that peer says it can be reached
     */
    void onMessage(PeerAddress sender, Message message);
}

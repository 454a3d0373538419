package io.parley.resolver.internal;

import io.parley.message.Message;
import io.parley.transport.PeerAddress;

/** Receives the messages that other peers propagate to one service. */
@FunctionalInterface
public interface PropagatedMessageListener {

    /**
     * Called when a message was received, on the thread that received it. Must not block.
     *
     * @param sender the authenticated origin of the message, with the addresses that it announced
     */
    void onMessage(PeerAddress sender, Message message);
}

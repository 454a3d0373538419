package io.parley.pipes.internal;

import io.parley.endpoint.ReceivedMessage;
import io.parley.id.PeerId;
import io.parley.message.Message;

/** An event of a sender in the queue of an input pipe, where it stays in order with the messages of the sender. */
public final class SenderEvent implements ReceivedMessage {

    private final PeerId sender;
    private final Runnable action;
    private final Runnable onRelease;

    /**
     * Creates an event.
     *
     * @param action    notifies the listener; does not throw
     * @param onRelease runs when the event waits no longer
     */
    SenderEvent(PeerId sender, Runnable action, Runnable onRelease) {
        this.sender = sender;
        this.action = action;
        this.onRelease = onRelease;
    }

    /** Notifies the listener. */
    public void run() {
        action.run();
    }

    @Override
    public PeerId from() {
        return sender;
    }

    @Override
    public Message message() {
        return Message.EMPTY;
    }

    @Override
    public void release() {
        onRelease.run();
    }
}

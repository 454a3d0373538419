package io.parley.pipes.internal.topic;

import io.parley.endpoint.ReceivedMessage;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import java.util.List;

/** A received message with a number, which it adds to a list when it is released. */
record NumberedMessage(int number, List<Integer> released) implements ReceivedMessage {

    private static final PeerId SENDER = Identity.generate().peerId();

    @Override
    public PeerId from() {
        return SENDER;
    }

    @Override
    public Message message() {
        return Message.of("n", Integer.toString(number));
    }

    @Override
    public void release() {
        released.add(number);
    }
}

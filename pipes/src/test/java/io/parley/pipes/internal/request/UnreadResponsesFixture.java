package io.parley.pipes.internal.request;

import io.parley.Peer;
import io.parley.endpoint.ReceivedMessage;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.internal.PipeSecurity;

/** The responses of a holder to a requester, until so many wait that the channel has no room. */
public final class UnreadResponsesFixture {

    private final ResponseChannelRegistry channels;
    private final ResponseInbox inbox;
    private final ResponseTarget target;

    public UnreadResponsesFixture(Peer requester, Peer holder) {
        requester.endpoint().listen(RequestFormat.responseService(0), ReceivedMessage::release);
        channels = new ResponseChannelRegistry(holder.netGroup());
        inbox = new ResponseInbox(requester.id(), 0, PipeSecurity.PLAIN);
        target = new ResponseTarget(channels, inbox, 1, Long.MAX_VALUE, 1);
    }

    /** Sends responses while there is room. The requester must not be connected. */
    public void fill() {
        Message response = Message.of("content", new byte[60_000]);
        while (isWritable()) {
            channels.channel(inbox).send(response);
        }
    }

    public boolean isWritable() {
        return channels.channel(inbox).isWritable();
    }

    /** Returns a message as a request of the requester. */
    public PipeMessage request(ReceivedMessage received) {
        return new ReceivedRequest(received.from(), received.message(), target);
    }
}

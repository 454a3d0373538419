package io.parley.encoding.internal;

import io.parley.encoding.EncodingChannel;
import io.parley.id.PeerId;

/** A channel and the position in it. Used by one thread at a time. */
public final class ChannelPosition implements EncodingChannel {

    private final PeerId sender;
    private final PeerId receiver;
    private final String service;
    private final String parameter;
    private long messageNumber;
    private int elementIndex;

    /** Creates a position at the start of the channel. */
    public ChannelPosition(PeerId sender, PeerId receiver, String service, String parameter) {
        this.sender = sender;
        this.receiver = receiver;
        this.service = service;
        this.parameter = parameter;
    }

    void moveTo(long message, int element) {
        messageNumber = message;
        elementIndex = element;
    }

    @Override
    public PeerId sender() {
        return sender;
    }

    @Override
    public PeerId receiver() {
        return receiver;
    }

    @Override
    public String service() {
        return service;
    }

    @Override
    public String parameter() {
        return parameter;
    }

    @Override
    public long messageNumber() {
        return messageNumber;
    }

    @Override
    public int elementIndex() {
        return elementIndex;
    }
}

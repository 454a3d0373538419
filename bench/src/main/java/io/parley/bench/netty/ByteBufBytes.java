package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.parley.bench.contender.MessageBytes;

/** The payload of a frame, without its length. */
record ByteBufBytes(ByteBuf frame) implements MessageBytes {

    @Override
    public int length() {
        return frame.readableBytes() - LoopbackChannels.LENGTH_BYTES;
    }

    @Override
    public byte byteAt(int index) {
        return frame.getByte(frame.readerIndex() + LoopbackChannels.LENGTH_BYTES + index);
    }

    @Override
    public long longAt(int index) {
        return frame.getLong(frame.readerIndex() + LoopbackChannels.LENGTH_BYTES + index);
    }
}

package io.parley.testkit.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.message.Message;

/**
 * A stateful codec: the binary format with a prefix that is the number of the message in its session. A decoder rejects a
 * message that is out of order, belongs to another session, or follows a message that was encoded but not sent.
 */
public final class SequenceCodec implements MessageCodec {

    private static final int STATE_BYTES = 10_000;

    private final String name;

    /** Creates a codec with a name. */
    public SequenceCodec(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String contentType() {
        return "application/x-" + name;
    }

    @Override
    public int maxStateBytes() {
        return STATE_BYTES;
    }

    @Override
    public CodecSession newSession(MessageLimits limits) {
        return new Session(MessageCodec.binary().newSession(limits));
    }

    private static final class Session implements CodecSession {

        private final CodecSession binary;
        private long next;

        Session(CodecSession binary) {
            this.binary = binary;
        }

        @Override
        public ByteBuf encode(Message message, int headroom, ByteBufAllocator allocator) {
            ByteBuf encoded = binary.encode(message, allocator);
            return allocator
                    .compositeBuffer(2)
                    .addComponent(true, allocator.buffer().writeLong(next++))
                    .addComponent(true, encoded);
        }

        @Override
        public Message decode(ByteBuf encoded) {
            if (encoded.readableBytes() < Long.BYTES || encoded.getLong(encoded.readerIndex()) != next) {
                throw ErrorCode.MALFORMED_MESSAGE.exception("message: out of order (expected: number " + next + ")");
            }
            next++;
            return binary.decode(
                    encoded.slice(encoded.readerIndex() + Long.BYTES, encoded.readableBytes() - Long.BYTES));
        }

        @Override
        public long encodedSize(Message message) {
            return Long.BYTES + binary.encodedSize(message);
        }
    }
}

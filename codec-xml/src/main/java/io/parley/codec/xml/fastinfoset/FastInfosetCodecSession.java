package io.parley.codec.xml.fastinfoset;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import org.jspecify.annotations.Nullable;

/** The codec state of one direction of one channel: the vocabulary of its encoder or decoder. Not thread-safe. */
final class FastInfosetCodecSession implements CodecSession {
    private final MessageLimits limits;
    /** Created for the first message that is written; a decoding session has none. */
    private @Nullable Encoder encoder;

    private final FastInfosetInput in = new FastInfosetInput("Fast Infoset message");
    /** Has the tables that the next message continues; {@code null} if the next message must be a complete document. */
    private @Nullable FastInfosetMessageReader reader;

    FastInfosetCodecSession(MessageLimits limits) {
        this.limits = limits;
    }

    @Override
    public long encodedSize(Message message) {
        return -1;
    }

    @Override
    public ByteBuf encode(Message message, int headroom, ByteBufAllocator allocator) {
        if (encoder == null) {
            encoder = new Encoder(limits);
        }
        return encoder.encode(message, headroom, allocator);
    }

    @Override
    public Message decode(ByteBuf encoded) {
        int length = encoded.readableBytes();
        if (length > limits.maxMessageBytes()) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("Fast Infoset message: " + length
                    + " bytes (expected: <= maxMessageBytes " + limits.maxMessageBytes() + ")");
        }
        if (encoded.hasArray()) {
            return decode(encoded.array(), encoded.arrayOffset() + encoded.readerIndex(), length);
        }
        byte[] bytes = new byte[length];
        encoded.getBytes(encoded.readerIndex(), bytes);
        return decode(bytes, 0, length);
    }

    private Message decode(byte[] bytes, int offset, int length) {
        FastInfosetMessageReader current = reader;
        reader = null; // after a failure, the tables may contain a part of the message and must not be used
        in.begin(bytes, offset, length);
        try {
            boolean document = DocumentHeader.skip(in);
            if (document) {
                current = new FastInfosetMessageReader(in, limits);
            } else if (current == null) {
                throw in.malformed(
                        "document: no header (expected: e0 00 00 01, because there are no tables to continue)");
            }
            Message message = current.read(document);
            reader = current;
            return message;
        } finally {
            in.release();
        }
    }

    /** The state of an encoding session. */
    private static final class Encoder {
        private final EncoderVocabulary vocabulary = new EncoderVocabulary();
        private final FastInfosetOutput out = new FastInfosetOutput();
        private final FastInfosetMessageWriter writer;

        Encoder(MessageLimits limits) {
            writer = new FastInfosetMessageWriter(limits, vocabulary, out);
        }

        ByteBuf encode(Message message, int headroom, ByteBufAllocator allocator) {
            boolean done = false;
            try {
                writer.write(message);
                ByteBuf encoded = out.finish(headroom, allocator);
                vocabulary.commit();
                done = true;
                return encoded;
            } finally {
                if (!done) {
                    vocabulary.rollback();
                }
                out.clear();
            }
        }
    }
}

package io.parley.codec.xml;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.message.Message;

/** Encodes and decodes messages of the XML text format. Stateless and thread-safe. */
final class XmlCodecSession implements CodecSession {
    private final MessageLimits limits;
    private final XmlParserFactory parsers = new XmlParserFactory();

    XmlCodecSession(MessageLimits limits) {
        this.limits = limits;
    }

    @Override
    public long encodedSize(Message message) {
        return XmlMessageWriter.of(message, limits).size();
    }

    @Override
    public ByteBuf encode(Message message, int headroom, ByteBufAllocator allocator) {
        XmlMessageWriter writer = XmlMessageWriter.of(message, limits);
        int capacity = Math.addExact(headroom, writer.size());
        ByteBuf encoded = allocator.directBuffer(capacity, capacity).setIndex(headroom, headroom);
        try {
            writer.writeTo(encoded.nioBuffer(headroom, writer.size()));
            encoded.writerIndex(capacity);
        } catch (RuntimeException | Error e) {
            encoded.release();
            throw e;
        }
        return encoded;
    }

    @Override
    public Message decode(ByteBuf encoded) {
        int length = encoded.readableBytes();
        if (length > limits.maxMessageBytes()) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("XML message: " + length + " bytes (expected: <= maxMessageBytes "
                    + limits.maxMessageBytes() + ")");
        }
        try (XmlDocumentReader document = XmlDocumentReader.open(parsers, encoded, limits)) {
            return new XmlMessageReader(document, limits).read();
        }
    }
}

package io.parley.examples.cbor;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufOutputStream;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import java.io.InputStream;
import java.io.OutputStream;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.dataformat.cbor.CBORFactory;
import tools.jackson.dataformat.cbor.CBORReadFeature;

/** Encodes and decodes messages. Stateless except for its settings. Thread-safe. */
final class CborSession implements CodecSession {
    private final MessageLimits limits;
    private final CBORFactory factory;

    CborSession(MessageLimits limits) {
        this.limits = limits;
        this.factory = CBORFactory.builder()
                // A string has at most as many characters as bytes. The reader rejects everything else that Jackson
                // could limit.
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(limits.maxNameBytes())
                        .build())
                .disable(CBORReadFeature.READ_UNDEFINED_AS_EMBEDDED_OBJECT)
                .disable(CBORReadFeature.READ_SIMPLE_VALUE_AS_EMBEDDED_OBJECT)
                .build();
    }

    @Override
    public long encodedSize(Message message) {
        CborLimitChecker check = new CborLimitChecker(limits, ErrorCode.MESSAGE_TOO_LARGE, () -> "CBOR message");
        message.forEach(check::element);
        long size = CborWriter.size(message);
        check.message(size);
        return size;
    }

    @Override
    public ByteBuf encode(Message message, int headroom, ByteBufAllocator allocator) {
        int size = (int) encodedSize(message);
        ByteBuf encoded = allocator.directBuffer(headroom + size).setIndex(headroom, headroom);
        OutputStream target = new ByteBufOutputStream(encoded);
        try (JsonGenerator generator = factory.createGenerator(ObjectWriteContext.empty(), target)) {
            CborWriter.write(message, generator);
        } catch (JacksonException e) {
            encoded.release();
            throw ErrorCode.NOT_ENCODABLE.exception("CBOR message: " + e.getOriginalMessage(), e);
        } catch (RuntimeException | Error e) {
            encoded.release();
            throw e;
        }
        return encoded;
    }

    @Override
    public Message decode(ByteBuf encoded) {
        new CborLimitChecker(limits, ErrorCode.LIMIT_EXCEEDED, () -> "CBOR message").message(encoded.readableBytes());
        // A duplicate, because the indices of the caller's buffer must not change.
        InputStream source = new ByteBufInputStream(encoded.duplicate());
        try (JsonParser parser = factory.createParser(ObjectReadContext.empty(), source)) {
            return new CborReader(parser, encoded, limits).read();
        }
    }
}

package io.parley.examples.cbor;

import io.netty.buffer.ByteBuf;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.StreamConstraintsException;

/** Reads one message from an untrusted peer. Every failure is a fault of the peer. */
final class CborReader {
    /** The major type of tags, in the upper three bits of a head. */
    private static final int TAG = 6;

    private final JsonParser parser;
    private final ByteBuf encoded;
    private final MessageLimits limits;

    CborReader(JsonParser parser, ByteBuf encoded, MessageLimits limits) {
        this.parser = parser;
        this.encoded = encoded;
        this.limits = limits;
    }

    Message read() {
        try {
            return message();
        } catch (ParleyException e) {
            throw e;
        } catch (StreamConstraintsException e) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    where() + ": string (expected: <= maxNameBytes " + limits.maxNameBytes() + ")", e);
        } catch (RuntimeException e) {
            // Exceptions of the parser, of invalid elements, and any others that hostile bytes may cause.
            throw ErrorCode.MALFORMED_MESSAGE.exception(where() + ": " + e.getMessage(), e);
        }
    }

    private Message message() {
        CborLimitChecker check = new CborLimitChecker(limits, ErrorCode.LIMIT_EXCEEDED, this::where);
        // Grows with the elements that are present, not with the length in the array's head.
        Message.Builder message = Message.compactBuilder();
        expect(JsonToken.START_ARRAY, next());
        for (JsonToken token = next(); token != JsonToken.END_ARRAY; token = next()) {
            expect(JsonToken.START_ARRAY, token);
            MessageElement element = element();
            check.element(element);
            message.add(element);
        }
        expect(null, next());
        return message.build();
    }

    private MessageElement element() {
        String namespace = string(next());
        MessageElement element = fields(namespace, next());
        JsonToken token = next();
        if (token != JsonToken.END_ARRAY) {
            element = element.withSignature(fields(namespace, token));
            expect(JsonToken.END_ARRAY, next());
        }
        return element;
    }

    private MessageElement fields(String namespace, @Nullable JsonToken first) {
        return MessageElement.of(namespace, string(first), string(next()), content(next()));
    }

    private String string(@Nullable JsonToken token) {
        expect(JsonToken.VALUE_STRING, token);
        String string = parser.getString();
        if (!CborWriter.isUnicode(string)) {
            throw malformed("a string that is not UTF-8");
        }
        return string;
    }

    private Payload content(@Nullable JsonToken token) {
        expect(JsonToken.VALUE_EMBEDDED_OBJECT, token);
        // Above 250,000 bytes Jackson allocates as it reads, so a false length costs no more than that.
        return Payload.of(parser.getBinaryValue());
    }

    /** Returns the next token, or {@code null} at the end. */
    private @Nullable JsonToken next() {
        // Jackson collects the tags of a value in an array that it copies after every eighth tag. A long sequence of
        // tags, one byte each, would occupy this thread for hours. This format uses no tags.
        int at = offset();
        if (at < encoded.readableBytes() && (encoded.getByte(encoded.readerIndex() + at) & 0xFF) >> 5 == TAG) {
            throw malformed("a tag (expected: none)");
        }
        return parser.nextToken();
    }

    private void expect(@Nullable JsonToken expected, @Nullable JsonToken token) {
        if (token != expected) {
            throw malformed(shown(token) + " (expected: " + shown(expected) + ")");
        }
    }

    private static String shown(@Nullable JsonToken token) {
        return token == null ? "the end" : token.name();
    }

    private ParleyException malformed(String fault) {
        return ErrorCode.MALFORMED_MESSAGE.exception(where() + ": " + fault);
    }

    private String where() {
        return "CBOR message, at byte " + offset();
    }

    private int offset() {
        return (int) parser.currentLocation().getByteOffset();
    }
}

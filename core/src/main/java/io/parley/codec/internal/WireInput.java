package io.parley.codec.internal;

import io.parley.codec.MessageLimits;
import io.parley.common.internal.TextSanitizer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of one message from an array or a buffer. Each length is checked against the remaining bytes and the
 * limits before it is used. All failures are {@link ParleyException}s.
 */
abstract class WireInput {
    private static final byte[] TYPE_TEXT = MessageElement.TYPE_TEXT.getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TYPE_XML = MessageElement.TYPE_XML.getBytes(StandardCharsets.US_ASCII);

    private final int start;
    private final int end;
    private final MessageLimits limits;
    private int position;

    /** Reads the bytes from {@code start}, inclusive, to {@code end}, exclusive. */
    WireInput(int start, int end, MessageLimits limits) {
        this.start = start;
        this.end = end;
        this.limits = limits;
        this.position = start;
    }

    /** Returns the byte at an index. The caller must check the index; this applies to the methods below, too. */
    abstract byte byteAt(int index);

    /** Returns whether the bytes at an index are equal to {@code expected}. */
    abstract boolean matchesAt(byte[] expected, int index);

    /** Decodes a range of bytes as UTF-8; returns {@code null} if they are not valid UTF-8. */
    abstract @Nullable String utf8(int index, int length);

    /** Returns a payload that shares a range of the memory. */
    abstract Payload payload(int index, int length);

    int remaining() {
        return end - position;
    }

    int u8(String field) {
        require(1, field);
        return byteAt(position++) & 0xFF;
    }

    int u16(String field) {
        require(2, field);
        int value = (byteAt(position) & 0xFF) << 8 | (byteAt(position + 1) & 0xFF);
        position += 2;
        return value;
    }

    private int int32(String field) {
        require(4, field);
        int value = (byteAt(position) & 0xFF) << 24
                | (byteAt(position + 1) & 0xFF) << 16
                | (byteAt(position + 2) & 0xFF) << 8
                | (byteAt(position + 3) & 0xFF);
        position += 4;
        return value;
    }

    long u32(String field) {
        return int32(field) & 0xFFFF_FFFFL;
    }

    /** Reads a length of 64 bits. If its highest bit is set, the result is negative and rejected by {@link #content}. */
    long u64(String field) {
        long high = u32(field);
        return high << 32 | u32(field);
    }

    void magic(int expected, String field) {
        int at = position;
        int found = int32(field);
        if (found != expected) {
            position = at;
            throw malformed(String.format("%s: begins with %08x (expected: %08x)", field, found, expected));
        }
    }

    /** Reads a u16 byte count and a string of that many bytes in UTF-8. */
    String string(String field) {
        int length = stringLength(field);
        String string = utf8(position, length);
        if (string == null) {
            throw malformed(field + ": invalid UTF-8");
        }
        position += length;
        return string;
    }

    /** Reads a {@link #string} that is a name. Frequent names are not allocated again. */
    String name(String field) {
        int at = position;
        int length = stringLength(field);
        String known = FrequentNames.SHARED.find(this, position, length);
        if (known != null) {
            position += length;
            return known;
        }
        position = at;
        String name = string(field);
        FrequentNames.SHARED.add(this, position - length, length, name);
        return name;
    }

    /** Reads a {@link #string} that is a MIME type. Frequent types are not allocated again. */
    String type(String field) {
        int at = position;
        int length = stringLength(field);
        if (isNext(TYPE_TEXT, length)) {
            position += length;
            return MessageElement.TYPE_TEXT;
        }
        if (isNext(TYPE_XML, length)) {
            position += length;
            return MessageElement.TYPE_XML;
        }
        position = at;
        return string(field);
    }

    private int stringLength(String field) {
        int length = u16(field);
        if (length > limits.maxNameBytes()) {
            throw overLimit(field, length, "maxNameBytes", limits.maxNameBytes());
        }
        require(length, field);
        return length;
    }

    private boolean isNext(byte[] expected, int length) {
        return length == expected.length && matchesAt(expected, position);
    }

    /** Reads the next {@code length} bytes as a payload that shares the memory. */
    Payload content(long length) {
        if (length > limits.maxElementBytes()) {
            throw overLimit("element content", length, "maxElementBytes", limits.maxElementBytes());
        }
        require(length, "element content");
        Payload content = payload(position, (int) length);
        position += (int) length;
        return content;
    }

    /** Creates an element from its parts. The type is checked because it comes from a remote peer. */
    MessageElement element(String namespace, String name, String type, Payload content) {
        try {
            return MessageElement.of(namespace, name, type, content);
        } catch (IllegalArgumentException e) {
            throw malformed("element " + TextSanitizer.quote(name) + ": " + e.getMessage());
        }
    }

    /**
     * Checks a count before anything is allocated for it.
     *
     * @param minBytes the minimum encoded size of one item, in bytes
     */
    void checkCount(String field, int count, int minBytes, String limit, int max) {
        if (count > max) {
            throw overLimit(field, count, limit, max);
        }
        if ((long) count * minBytes > remaining()) {
            throw malformed(field + ": " + count + " (expected: items for the " + remaining() + " remaining bytes)");
        }
    }

    private void require(long length, String field) {
        if (length < 0 || length > remaining()) {
            throw malformed(field + ": " + Long.toUnsignedString(length) + " bytes (expected: <= " + remaining()
                    + " remaining)");
        }
    }

    ParleyException malformed(String fault) {
        return ErrorCode.MALFORMED_MESSAGE.exception(at(fault));
    }

    ParleyException overLimit(String field, long value, String limit, long max) {
        return ErrorCode.LIMIT_EXCEEDED.exception(
                at(field + ": " + value + " (expected: <= " + limit + " " + max + ")"));
    }

    private String at(String fault) {
        return "binary message, at byte " + (position - start) + ": " + fault;
    }
}

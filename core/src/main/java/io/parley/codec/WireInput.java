package io.parley.codec;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of one message, wherever its bytes lie, each after a look at what is left and at the limits: no length is
 * believed before it is checked, and nothing fails with another exception than {@link ParleyException}.
 */
abstract class WireInput {
    private static final byte[] TYPE_TEXT = MessageElement.TYPE_TEXT.getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TYPE_XML = MessageElement.TYPE_XML.getBytes(StandardCharsets.US_ASCII);

    private final int start;
    private final int end;
    private final MessageLimits limits;
    private int position;

    /** Reads the bytes from {@code start} to {@code end}. */
    WireInput(int start, int end, MessageLimits limits) {
        this.start = start;
        this.end = end;
        this.limits = limits;
        this.position = start;
    }

    /** The byte at an index that has been checked, as are those below. */
    abstract byte byteAt(int index);

    abstract boolean isHere(byte[] expected, int index);

    /** So many bytes of UTF-8, null when they are none. */
    abstract @Nullable String utf8(int index, int length);

    /** A payload that shares the memory. */
    abstract Payload payload(int index, int length);

    int remaining() {
        return end - position;
    }

    int u8(String what) {
        require(1, what);
        return byteAt(position++) & 0xFF;
    }

    int u16(String what) {
        require(2, what);
        int value = (byteAt(position) & 0xFF) << 8 | (byteAt(position + 1) & 0xFF);
        position += 2;
        return value;
    }

    private int int32(String what) {
        require(4, what);
        int value = (byteAt(position) & 0xFF) << 24
                | (byteAt(position + 1) & 0xFF) << 16
                | (byteAt(position + 2) & 0xFF) << 8
                | (byteAt(position + 3) & 0xFF);
        position += 4;
        return value;
    }

    long u32(String what) {
        return int32(what) & 0xFFFF_FFFFL;
    }

    /** A length of 64 bits; with the highest bit set it is negative here, and refused by {@link #content}. */
    long u64(String what) {
        long high = u32(what);
        return high << 32 | u32(what);
    }

    void magic(int expected, String what) {
        int at = position;
        int found = int32(what);
        if (found != expected) {
            position = at;
            throw malformed(String.format("%s: begins with %08x (expected: %08x)", what, found, expected));
        }
    }

    /** A u16 byte count and so many bytes of UTF-8. */
    String string(String what) {
        int length = stringLength(what);
        String string = utf8(position, length);
        if (string == null) {
            throw malformed(what + ": not UTF-8");
        }
        position += length;
        return string;
    }

    /** A {@link #string} that is a MIME type; the usual ones are not made anew each time. */
    String type(String what) {
        int at = position;
        int length = stringLength(what);
        if (isNext(TYPE_TEXT, length)) {
            position += length;
            return MessageElement.TYPE_TEXT;
        }
        if (isNext(TYPE_XML, length)) {
            position += length;
            return MessageElement.TYPE_XML;
        }
        position = at;
        return string(what);
    }

    private int stringLength(String what) {
        int length = u16(what);
        if (length > limits.maxNameBytes()) {
            throw overLimit(what, length, "maxNameBytes", limits.maxNameBytes());
        }
        require(length, what);
        return length;
    }

    private boolean isNext(byte[] expected, int length) {
        return length == expected.length && isHere(expected, position);
    }

    /** The next {@code length} bytes as a payload that shares the memory. */
    Payload content(long length) {
        if (length > limits.maxElementBytes()) {
            throw overLimit("element content", length, "maxElementBytes", limits.maxElementBytes());
        }
        require(length, "element content");
        Payload content = payload(position, (int) length);
        position += (int) length;
        return content;
    }

    /** An element from its parts; the type is checked here because it comes from outside. */
    MessageElement element(String namespace, String name, String type, Payload content) {
        try {
            return MessageElement.of(namespace, name, type, content);
        } catch (IllegalArgumentException e) {
            throw malformed("element " + name + ": " + e.getMessage());
        }
    }

    /**
     * Checks a count before anything is allocated for it.
     *
     * @param least what one of them takes at least, in bytes
     */
    void checkCount(String what, int count, int least, String limit, int max) {
        if (count > max) {
            throw overLimit(what, count, limit, max);
        }
        if ((long) count * least > remaining()) {
            throw malformed(what + ": " + count + " (expected: what fits into the " + remaining() + " bytes left)");
        }
    }

    private void require(long length, String what) {
        if (length < 0 || length > remaining()) {
            throw malformed(what + ": " + Long.toUnsignedString(length) + " bytes (expected: <= " + remaining()
                    + ", which are left)");
        }
    }

    ParleyException malformed(String fault) {
        return ErrorCode.MALFORMED_MESSAGE.exception(at(fault));
    }

    ParleyException overLimit(String what, long value, String limit, long max) {
        return ErrorCode.LIMIT_EXCEEDED.exception(
                at(what + ": " + value + " (expected: <= " + limit + " " + max + ")"));
    }

    private String at(String fault) {
        return "binary message, at byte " + (position - start) + ": " + fault;
    }
}

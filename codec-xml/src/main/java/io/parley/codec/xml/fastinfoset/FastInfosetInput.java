package io.parley.codec.xml.fastinfoset;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Reads the primitives of X.891, annex C, from an array. In Fast Infoset, integers and lengths may start in the middle
 * of an octet. Methods for those have a parameter for the octet that was already read, and read more octets if
 * necessary. Each length is checked against the remaining bytes before it is returned, so that no memory is allocated
 * for absent bytes.
 *
 * <p>Indices start at 0 as on the wire; X.891 numbers them from 1.
 */
final class FastInfosetInput {
    private static final byte[] EMPTY = {};
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final String label;
    private byte[] bytes = EMPTY;
    private int start;
    private int end;
    private int position;

    /**
     * Creates an input without bytes.
     *
     * @param label the start of each error message
     */
    FastInfosetInput(String label) {
        this.label = label;
    }

    /** Sets the range to read. {@code newBytes} is borrowed until {@link #release}. */
    void begin(byte[] newBytes, int newStart, int newLength) {
        bytes = newBytes;
        start = newStart;
        end = newStart + newLength;
        position = newStart;
    }

    /** Releases the array. */
    void release() {
        begin(EMPTY, 0, 0);
    }

    /** Returns the array, to which the offsets of {@link #advance} refer. */
    byte[] bytes() {
        return bytes;
    }

    int remaining() {
        return end - position;
    }

    /** Reads the next octet. */
    int u8(String field) {
        if (position == end) {
            throw malformed(field + ": missing (expected: more bytes)");
        }
        return bytes[position++] & 0xFF;
    }

    boolean startsWithZero() {
        return position < end && bytes[position] == 0;
    }

    /** Returns whether the next bytes equal {@code expected}. */
    boolean startsWith(byte[] expected) {
        return remaining() >= expected.length && matches(position, expected.length, expected);
    }

    /** Skips the next bytes if they equal {@code expected}. Returns whether they do. */
    boolean skip(byte[] expected) {
        if (!startsWith(expected)) {
            return false;
        }
        position += expected.length;
        return true;
    }

    /** Returns whether a range equals {@code expected}. The offset must be a result of {@link #advance}. */
    boolean matches(int offset, int length, byte[] expected) {
        return length == expected.length && Arrays.equals(bytes, offset, offset + length, expected, 0, length);
    }

    /**
     * Skips the next octets if they equal {@code expected}, one to eight octets in little-endian order, and at least
     * eight octets remain. Returns whether they were skipped.
     */
    boolean skip(long expected, int length) {
        if (remaining() < Long.BYTES || (peekLong() & mask(length)) != expected) {
            return false;
        }
        position += length;
        return true;
    }

    /** Returns the mask for the first {@code length} octets, one to eight, of {@link #peekLong}. */
    static long mask(int length) {
        return -1L >>> (Long.SIZE - Byte.SIZE * length);
    }

    /** Returns the next eight octets in little-endian order. At least eight octets must remain. */
    long peekLong() {
        return (long) LONGS.get(bytes, position);
    }

    /** Returns the eight octets at an offset from the start, in little-endian order. They must exist. */
    long longAt(int offset) {
        return (long) LONGS.get(bytes, start + offset);
    }

    /** Returns the number of bytes that were read since {@link #begin}. */
    int consumed() {
        return position - start;
    }

    /** Skips {@code length} bytes, which the caller must have checked, and returns the offset of the first. */
    int advance(int length) {
        int offset = position;
        position += length;
        return offset;
    }

    /** C.21: reads the number of items of a sequence, 1 to 2^20. Each item takes at least one octet. */
    int count(String field) {
        int b = u8(field);
        int count;
        if (b < 0x80) {
            count = b + 1;
        } else if (b < 0x90) {
            count = ((b & 0x0F) << 16 | u16(field)) + 129;
        } else {
            throw undefined(field, b);
        }
        if (count > remaining()) {
            throw malformed(field + ": " + count + " (expected: <= remaining bytes " + remaining() + ")");
        }
        return count;
    }

    /** C.22: reads the length of an octet string that starts on the second bit. Ignores the first bit. */
    int lengthOnBit2(int b, String field) {
        int low = b & 0x7F;
        if (low < 0x40) {
            return checkLength(low + 1L, field);
        }
        if (low == 0x40) {
            return checkLength(u8(field) + 65L, field);
        }
        if (low == 0x60) {
            return checkLength(u32(field) + 321, field);
        }
        throw undefined(field, b);
    }

    /** C.23: reads the length of an octet string that starts on the fifth bit. Ignores the bits before it. */
    int lengthOnBit5(int b, String field) {
        int low = b & 0x0F;
        if (low < 8) {
            return checkLength(low + 1L, field);
        }
        if (low == 8) {
            return checkLength(u8(field) + 9L, field);
        }
        if (low == 0x0C) {
            return checkLength(u32(field) + 265, field);
        }
        throw undefined(field, b);
    }

    /** C.24: reads the length of an octet string that starts on the seventh bit. Ignores the bits before it. */
    int lengthOnBit7(int b, String field) {
        int low = b & 3;
        if (low < 2) {
            return checkLength(low + 1L, field);
        }
        return checkLength(low == 2 ? u8(field) + 3L : u32(field) + 259, field);
    }

    /** C.25: reads an index that starts on the second bit. Ignores the first bit. */
    int indexOnBit2(int b, String field) {
        int low = b & 0x7F;
        if (low < 0x40) {
            return low;
        }
        if (low < 0x60) {
            return ((low & 0x1F) << 8 | u8(field)) + 64;
        }
        if (low < 0x70) {
            return ((low & 0x0F) << 16 | u16(field)) + 8256;
        }
        throw undefined(field, b);
    }

    /** C.27: reads an index that starts on the third bit. Ignores the bits before it. */
    int indexOnBit3(int b, String field) {
        int low = b & 0x3F;
        if (low < 0x20) {
            return low;
        }
        if (low < 0x28) {
            return ((low & 7) << 8 | u8(field)) + 32;
        }
        if (low < 0x30) {
            return ((low & 7) << 16 | u16(field)) + 2080;
        }
        if (low == 0x30) {
            return ((u8(field) & 0x0F) << 16 | u16(field)) + 526_368;
        }
        throw undefined(field, b);
    }

    /** C.28: reads an index that starts on the fourth bit. Ignores the bits before it. */
    int indexOnBit4(int b, String field) {
        int low = b & 0x1F;
        if (low < 0x10) {
            return low;
        }
        if (low < 0x14) {
            return ((low & 3) << 8 | u8(field)) + 16;
        }
        if (low < 0x18) {
            return ((low & 3) << 16 | u16(field)) + 1040;
        }
        if (low == 0x18) {
            return ((u8(field) & 0x0F) << 16 | u16(field)) + 263_184;
        }
        throw undefined(field, b);
    }

    private int u16(String field) {
        return u8(field) << 8 | u8(field);
    }

    private long u32(String field) {
        long high = u16(field);
        return high << 16 | u16(field);
    }

    private int checkLength(long length, String field) {
        if (length > remaining()) {
            throw malformed(field + ": " + length + " bytes (expected: <= remaining bytes " + remaining() + ")");
        }
        return (int) length;
    }

    /** Returns the exception for a feature of X.891 that this implementation deliberately does not support. */
    ParleyException unsupported(String feature) {
        return malformed(feature + ": not supported (expected: none)");
    }

    /** Returns the exception for an octet that X.891 does not define at the current position. */
    ParleyException undefined(String field, int b) {
        return malformed(String.format("%s: octet %02x (expected: an octet that X.891 defines here)", field, b));
    }

    ParleyException malformed(String fault) {
        return ErrorCode.MALFORMED_MESSAGE.exception(place() + ": " + fault);
    }

    ParleyException overLimit(String field, long value, String limit, long max) {
        return ErrorCode.LIMIT_EXCEEDED.exception(
                place() + ": " + field + ": " + value + " (expected: <= " + limit + " " + max + ")");
    }

    /** Returns the label and the current position, for error messages. */
    String place() {
        return label + ", at byte " + (position - start);
    }
}

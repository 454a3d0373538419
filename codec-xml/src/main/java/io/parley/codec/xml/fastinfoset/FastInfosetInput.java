package io.parley.codec.xml.fastinfoset;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Reads the primitives of X.891, annex C, from an array. Fast Infoset lets integers and lengths begin in the middle of an
 * octet; those methods take the octet that has been read already and read on where it says so. Every length is checked
 * against the bytes that are left before it is given out, so that nobody allocates for what is not there.
 *
 * <p>Indices are given as they stand on the wire, counted from 0; X.891 counts them from 1.
 */
final class FastInfosetInput {
    private static final byte[] NOTHING = {};
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final String what;
    private byte[] bytes = NOTHING;
    private int start;
    private int end;
    private int position;

    /** {@code what} is what faults are said to be in. */
    FastInfosetInput(String what) {
        this.what = what;
    }

    /** Begins to read {@code newLength} bytes from {@code newStart} on. */
    void begin(byte[] newBytes, int newStart, int newLength) {
        bytes = newBytes;
        start = newStart;
        end = newStart + newLength;
        position = newStart;
    }

    /** Lets the array go. */
    void release() {
        begin(NOTHING, 0, 0);
    }

    /** The array, in which {@link #take} gives offsets. */
    byte[] bytes() {
        return bytes;
    }

    int remaining() {
        return end - position;
    }

    /** The next octet. */
    int u8(String field) {
        if (position == end) {
            throw ended(field);
        }
        return bytes[position++] & 0xFF;
    }

    boolean startsWithZero() {
        return position < end && bytes[position] == 0;
    }

    /** Whether the next bytes are these. */
    boolean startsWith(byte[] expected) {
        return remaining() >= expected.length && isAt(position, expected.length, expected);
    }

    /** Skips these bytes if they are the next. */
    boolean skip(byte[] expected) {
        if (!startsWith(expected)) {
            return false;
        }
        position += expected.length;
        return true;
    }

    /** Whether a range that {@link #take} has given is these bytes. */
    boolean isAt(int offset, int length, byte[] expected) {
        return length == expected.length && Arrays.equals(bytes, offset, offset + length, expected, 0, length);
    }

    /** Skips these octets, one to eight with the first of them lowest, if they are the next and eight are left. */
    boolean skip(long expected, int length) {
        if (remaining() < Long.BYTES || (peekLong() & mask(length)) != expected) {
            return false;
        }
        position += length;
        return true;
    }

    /** What keeps the first octets, one to eight, of {@link #peekLong}. */
    static long mask(int length) {
        return -1L >>> (Long.SIZE - Byte.SIZE * length);
    }

    /** The next eight octets, the first of them lowest; asked only when they are there. */
    long peekLong() {
        return (long) LONGS.get(bytes, position);
    }

    /** The eight octets after so many, the first of them lowest; asked only when they are there. */
    long longAt(int count) {
        return (long) LONGS.get(bytes, start + count);
    }

    /** How much was read since {@link #begin}. */
    int consumed() {
        return position - start;
    }

    /** Skips bytes that a length method has found to be there; the offset of the first. */
    int take(int length) {
        int taken = position;
        position += length;
        return taken;
    }

    /** C.21: how many items a sequence has, 1 to 2^20, of which each takes at least one octet. */
    int count(String field) {
        int b = u8(field);
        int count;
        if (b < 0x80) {
            count = b + 1;
        } else if (b < 0x90) {
            count = ((b & 0x0F) << 16 | u16(field)) + 129;
        } else {
            throw unknown(field, b);
        }
        if (count > remaining()) {
            throw malformed(field + ": " + count + " (expected: what fits into the " + remaining() + " bytes left)");
        }
        return count;
    }

    /** C.22: the length of an octet string that begins on the second bit; the first bit is not looked at. */
    int lengthOnBit2(int b, String field) {
        int low = b & 0x7F;
        if (low < 0x40) {
            return present(low + 1L, field);
        }
        if (low == 0x40) {
            return present(u8(field) + 65L, field);
        }
        if (low == 0x60) {
            return present(u32(field) + 321, field);
        }
        throw unknown(field, b);
    }

    /** C.23: the length of an octet string that begins on the fifth bit; the bits before are not looked at. */
    int lengthOnBit5(int b, String field) {
        int low = b & 0x0F;
        if (low < 8) {
            return present(low + 1L, field);
        }
        if (low == 8) {
            return present(u8(field) + 9L, field);
        }
        if (low == 0x0C) {
            return present(u32(field) + 265, field);
        }
        throw unknown(field, b);
    }

    /** C.24: the length of an octet string that begins on the seventh bit; the bits before are not looked at. */
    int lengthOnBit7(int b, String field) {
        int low = b & 3;
        if (low < 2) {
            return present(low + 1L, field);
        }
        return present(low == 2 ? u8(field) + 3L : u32(field) + 259, field);
    }

    /** C.25: an index that begins on the second bit; the first bit is not looked at. */
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
        throw unknown(field, b);
    }

    /** C.27: an index that begins on the third bit; the bits before are not looked at. */
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
        throw unknown(field, b);
    }

    /** C.28: an index that begins on the fourth bit; the bits before are not looked at. */
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
        throw unknown(field, b);
    }

    private int u16(String field) {
        return u8(field) << 8 | u8(field);
    }

    private long u32(String field) {
        long high = u16(field);
        return high << 16 | u16(field);
    }

    private int present(long length, String field) {
        if (length > remaining()) {
            throw malformed(field + ": " + length + " bytes (expected: <= " + remaining() + ", which are left)");
        }
        return (int) length;
    }

    /** A part of X.891 that is left out here on purpose. */
    ParleyException refused(String feature) {
        return malformed(feature + ": refused (expected: none)");
    }

    private ParleyException ended(String field) {
        return malformed(field + ": missing (expected: more bytes)");
    }

    /** An octet that has no meaning where it stands. */
    ParleyException unknown(String field, int b) {
        return malformed(String.format("%s: octet %02x (expected: one that X.891 knows here)", field, b));
    }

    ParleyException malformed(String fault) {
        return ErrorCode.MALFORMED_MESSAGE.exception(at(fault));
    }

    ParleyException overLimit(String field, long value, String limit, long max) {
        return ErrorCode.LIMIT_EXCEEDED.exception(
                at(field + ": " + value + " (expected: <= " + limit + " " + max + ")"));
    }

    private String at(String fault) {
        return place() + ": " + fault;
    }

    /** What is read and up to where, for messages to people. */
    String place() {
        return what + ", at byte " + (position - start);
    }
}

package io.parley.codec.compress.internal;

import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** An output whose array grows with what is written to it, so that few bytes of a remote peer allocate little. */
final class GrowingArray {

    /** The size of the first array. */
    private static final int FIRST_BYTES = 512;

    private final int maxLength;
    private byte[] bytes;
    private int length;

    /**
     * @param reserved  the number of bytes at the beginning that are written later
     * @param maxLength the maximum number of bytes, those included
     * @param expected  a guess of the number
     */
    GrowingArray(int reserved, int maxLength, int expected) {
        this.maxLength = maxLength;
        this.bytes = new byte[Math.max(reserved, Math.min(maxLength, Math.max(FIRST_BYTES, expected)))];
        this.length = reserved;
    }

    int length() {
        return length;
    }

    /** Returns the number of bytes that may be written. */
    int room() {
        return maxLength - length;
    }

    boolean isFull() {
        return length == maxLength;
    }

    /** Writes a byte, for which there must be room. */
    void write(int b) {
        grow();
        bytes[length++] = (byte) b;
    }

    /** Writes a range of an array, for which there must be room. */
    void write(byte[] in, int from, int to) {
        int end = length + to - from;
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(maxLength, Math.max(end, 2L * bytes.length)));
        }
        System.arraycopy(in, from, bytes, length, to - from);
        length = end;
    }

    /** Removes zeros at the end, but none before a position. */
    void removeZeros(int from) {
        while (length > from && bytes[length - 1] == 0) {
            length--;
        }
    }

    /** Returns {@code false} if there is no room. */
    boolean deflate(Deflater deflater) {
        if (isFull()) {
            return false;
        }
        grow();
        length += deflater.deflate(bytes, length, bytes.length - length);
        return true;
    }

    /** Returns the number of bytes that were written. */
    int inflate(Inflater inflater) throws DataFormatException {
        grow();
        int written = inflater.inflate(bytes, length, bytes.length - length);
        length += written;
        return written;
    }

    private void grow() {
        if (length == bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(maxLength, 2L * bytes.length));
        }
    }

    /** Returns the bytes, and room for more behind them. */
    byte[] toArray(int more) {
        return bytes.length == length + more ? bytes : Arrays.copyOf(bytes, length + more);
    }
}

package io.parley.codec.xml.internal;

import io.parley.message.Payload;
import java.util.Arrays;

/** Collects the bytes of one element after the other, and never more than are allowed. */
final class ByteCollector {
    private static final int LEAST_BYTES = 1024;
    /** Below this, an element gets an array of its exact size and the collector's is used again. */
    private static final int MIN_GIVEN_AWAY_BYTES = 64 * 1024;

    private final int maxBytes;
    private final DecodeErrors faults;
    private byte[] bytes = {};
    private int count;

    ByteCollector(long maxBytes, DecodeErrors faults) {
        this.maxBytes = (int) maxBytes;
        this.faults = faults;
    }

    /** Forgets what is here. */
    void begin() {
        count = 0;
    }

    /** Makes room for so many bytes; gives the array to write them to from {@link #count} on. */
    byte[] reserve(int length) {
        if (length > bytes.length - count) {
            grow(length);
        }
        return bytes;
    }

    private void grow(int length) {
        if (length > maxBytes - count) {
            throw faults.overLimit("element content", "maxElementBytes", maxBytes);
        }
        long doubled = Math.max(LEAST_BYTES, 2L * bytes.length);
        bytes = Arrays.copyOf(bytes, (int) Math.min(maxBytes, Math.max(doubled, (long) count + length)));
    }

    int count() {
        return count;
    }

    /** How many bytes there is room for now. */
    int free() {
        return bytes.length - count;
    }

    /** Tells that so many bytes were written to the array. */
    void written(int length) {
        count += length;
    }

    /** The bytes since {@link #begin}. */
    Payload take() {
        if (count >= MIN_GIVEN_AWAY_BYTES && count >= bytes.length - bytes.length / 4) {
            Payload payload = Payload.of(bytes, 0, count);
            bytes = new byte[0];
            return payload;
        }
        return Payload.of(Arrays.copyOf(bytes, count));
    }
}

package io.parley.codec.xml.internal;

import io.parley.message.Payload;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * A growable array for the bytes of one element at a time, with a limit on its size. It doubles while it is small. A large one takes the
 * size at once that the rest of the document can fill, so that two large arrays never exist for one element. If that is not enough,
 * because references repeat the content, it grows by half.
 */
final class ByteCollector {
    private static final int MIN_CAPACITY = 1024;
    private static final int MAX_DOUBLED_CAPACITY = 1024 * 1024;

    /** The bytes that the reader may have read from the document, and not passed on yet. */
    private static final int UNREPORTED_BYTES = 64 * 1024;

    /** A smaller payload is copied to an array of its exact size, and the array of the collector is reused. */
    private static final int MIN_TRANSFER_BYTES = 64 * 1024;

    private final int maxBytes;
    private final LongSupplier remainingBytes;
    private final DecodeErrors errors;
    private byte[] bytes = {};
    private int count;
    private boolean base64;

    /** @param remainingBytes returns how many bytes of the document have not been read */
    ByteCollector(long maxBytes, LongSupplier remainingBytes, DecodeErrors errors) {
        this.maxBytes = (int) maxBytes;
        this.remainingBytes = remainingBytes;
        this.errors = errors;
    }

    /**
     * Discards the collected bytes and begins an element.
     *
     * @param octets whether the document has the content in base64, three bytes in four
     */
    void begin(boolean octets) {
        count = 0;
        base64 = octets;
    }

    /**
     * Ensures room for {@code length} more bytes. Returns the array to write to, starting at index {@link #count}.
     *
     * @throws io.parley.error.PeerFaultException LIMIT_EXCEEDED if the element becomes too large
     */
    byte[] reserve(int length) {
        if (length > bytes.length - count) {
            grow(length);
        }
        return bytes;
    }

    private void grow(int length) {
        if (length > maxBytes - count) {
            throw errors.overLimit("element content", "maxElementBytes", maxBytes);
        }
        long capacity = Math.max(MIN_CAPACITY, 2L * bytes.length);
        if (capacity > MAX_DOUBLED_CAPACITY) {
            long expected = remainingBytes.getAsLong() + UNREPORTED_BYTES;
            capacity = count + (base64 ? expected / 4 * 3 : expected);
            if (bytes.length > MAX_DOUBLED_CAPACITY) { // the content is larger than expected: parts of it are repeated
                capacity = Math.max(capacity, bytes.length + bytes.length / 2L);
            }
        }
        bytes = Arrays.copyOf(bytes, (int) Math.min(maxBytes, Math.max(capacity, (long) count + length)));
    }

    int count() {
        return count;
    }

    /** Returns how many bytes can be written without growth. */
    int free() {
        return bytes.length - count;
    }

    /** Adds {@code length} bytes that the caller has written to the array. */
    void advance(int length) {
        count += length;
    }

    /** Returns the collected bytes. The payload may take ownership of the array. */
    Payload toPayload() {
        if (count >= MIN_TRANSFER_BYTES && count >= bytes.length - bytes.length / 4) {
            Payload payload = Payload.of(bytes, 0, count);
            bytes = new byte[0];
            return payload;
        }
        return Payload.of(Arrays.copyOf(bytes, count));
    }
}

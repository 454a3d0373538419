package io.parley.codec.internal;

import io.parley.codec.MessageLimits;
import io.parley.message.Payload;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads a message from an array, which its payloads share. */
final class ArrayWireInput extends WireInput {
    private final byte[] bytes;

    /** Reads {@code length} bytes, beginning at {@code start}. */
    ArrayWireInput(byte[] bytes, int start, int length, MessageLimits limits) {
        super(start, start + length, limits);
        this.bytes = bytes;
    }

    @Override
    byte byteAt(int index) {
        return bytes[index];
    }

    @Override
    boolean matchesAt(byte[] expected, int index) {
        return Arrays.equals(bytes, index, index + expected.length, expected, 0, expected.length);
    }

    @Override
    @Nullable
    String utf8(int index, int length) {
        return Utf8.decode(bytes, index, length);
    }

    @Override
    Payload payload(int index, int length) {
        return Payload.of(bytes, index, length);
    }
}

package io.parley.bench.contender;

import java.util.List;

/** The bytes of the elements of a message, one after another. */
final class JoinedBytes implements MessageBytes {

    private final List<MessageBytes> parts;
    private final int length;

    JoinedBytes(List<MessageBytes> parts) {
        this.parts = parts;
        this.length = parts.stream().mapToInt(MessageBytes::length).sum();
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public byte byteAt(int index) {
        int offset = index;
        for (MessageBytes part : parts) {
            if (offset < part.length()) {
                return part.byteAt(offset);
            }
            offset -= part.length();
        }
        throw new IndexOutOfBoundsException("index: %d (expected: 0 to %d)".formatted(index, length - 1));
    }

    @Override
    public long longAt(int index) {
        int offset = index;
        for (MessageBytes part : parts) {
            if (offset < part.length()) {
                return offset + Long.BYTES <= part.length() ? part.longAt(offset) : spreadLongAt(index);
            }
            offset -= part.length();
        }
        throw new IndexOutOfBoundsException("index: %d (expected: 0 to %d)".formatted(index, length - Long.BYTES));
    }

    private long spreadLongAt(int index) {
        long value = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            value = (value << Byte.SIZE) | Byte.toUnsignedLong(byteAt(index + i));
        }
        return value;
    }
}

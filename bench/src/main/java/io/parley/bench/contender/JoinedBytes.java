package io.parley.bench.contender;

import java.util.Arrays;
import java.util.List;

/** The bytes of the elements of a message, one after another. Made for each message, so it must cost little beside the message. */
final class JoinedBytes implements MessageBytes {

    private final MessageBytes[] parts;

    /** The index of the first byte of each part. */
    private final int[] starts;

    private final int length;

    JoinedBytes(List<MessageBytes> parts) {
        this.parts = new MessageBytes[parts.size()];
        this.starts = new int[parts.size()];
        int end = 0;
        for (int i = 0; i < starts.length; i++) {
            this.parts[i] = parts.get(i);
            starts[i] = end;
            end += this.parts[i].length();
        }
        this.length = end;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public byte byteAt(int index) {
        int part = partOf(index, Byte.BYTES);
        return parts[part].byteAt(index - starts[part]);
    }

    @Override
    public long longAt(int index) {
        int part = partOf(index, Long.BYTES);
        int offset = index - starts[part];
        return offset + Long.BYTES <= parts[part].length() ? parts[part].longAt(offset) : spreadLongAt(index);
    }

    private int partOf(int index, int bytes) {
        if (index < 0 || index > length - bytes) {
            throw new IndexOutOfBoundsException("index: %d (expected: 0 to %d)".formatted(index, length - bytes));
        }
        int found = Arrays.binarySearch(starts, index);
        int part = found >= 0 ? found : -found - 2;
        while (parts[part].length() == 0) { // found one of several parts that begin there
            part++;
        }
        return part;
    }

    private long spreadLongAt(int index) {
        long value = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            value = (value << Byte.SIZE) | Byte.toUnsignedLong(byteAt(index + i));
        }
        return value;
    }
}

package io.parley.bench.contender;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Bytes in an array, which is not copied. */
final class ArrayBytes implements MessageBytes {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final byte[] array;
    private final int offset;
    private final int length;

    ArrayBytes(byte[] array, int offset, int length) {
        this.array = array;
        this.offset = offset;
        this.length = length;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public byte byteAt(int index) {
        return array[offset + index];
    }

    @Override
    public long longAt(int index) {
        return (long) LONGS.get(array, offset + index);
    }
}

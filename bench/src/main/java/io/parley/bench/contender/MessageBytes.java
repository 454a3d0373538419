package io.parley.bench.contender;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The bytes of a received message, in the memory in which the stack delivers them. Borrowed for the call that gets them. */
public interface MessageBytes {

    /** Returns the number of bytes. */
    int length();

    /** Returns the byte at {@code index}. */
    byte byteAt(int index);

    /** Returns the eight bytes at {@code index} as a number, the highest byte first. */
    long longAt(int index);

    /** Returns the bytes of {@code array} from {@code offset} to its end. */
    static MessageBytes of(byte[] array, int offset) {
        return of(array, offset, array.length - offset);
    }

    /** Returns {@code length} bytes of {@code array} from {@code offset}. */
    static MessageBytes of(byte[] array, int offset, int length) {
        return new Array(array, offset, length);
    }

    /** Bytes in an array. */
    record Array(byte[] array, int offset, int length) implements MessageBytes {

        private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

        @Override
        public byte byteAt(int index) {
            return array[offset + index];
        }

        @Override
        public long longAt(int index) {
            return (long) LONGS.get(array, offset + index);
        }
    }
}

package io.parley.bench.contender;

import java.util.List;

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
        return new ArrayBytes(array, offset, length);
    }

    /** Returns the bytes of the elements of a message, one after another. */
    static MessageBytes join(List<MessageBytes> elements) {
        return elements.size() == 1 ? elements.get(0) : new JoinedBytes(elements);
    }
}

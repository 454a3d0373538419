package io.parley.message;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A range of an array, which several payloads may share. */
final class BytesPayload implements Payload {
    static final BytesPayload EMPTY = new BytesPayload(new byte[0], 0, 0);

    /** The number of bytes in the hash code. A hash over megabytes would cost more than the comparisons it saves. */
    static final int HASHED_BYTES = 1024;

    private final byte[] array;
    private final int offset;
    private final int length;

    BytesPayload(byte[] array, int offset, int length) {
        this.array = array;
        this.offset = offset;
        this.length = length;
    }

    @Override
    public long size() {
        return length;
    }

    @Override
    public boolean hasArray() {
        return true;
    }

    @Override
    public byte[] array() {
        return array;
    }

    @Override
    public int arrayOffset() {
        return offset;
    }

    @Override
    public boolean hasBuffer() {
        return true;
    }

    @Override
    public void readInto(ByteBuffer target, long position) {
        if (position < 0 || target.remaining() > length - position) {
            throw new IllegalArgumentException(
                    "position: " + position + " + " + target.remaining() + " (expected: inside " + length + " bytes)");
        }
        target.put(array, offset + (int) position, target.remaining());
    }

    @Override
    public void writeTo(OutputStream target) throws IOException {
        target.write(array, offset, length);
    }

    @Override
    public byte[] toByteArray() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    @Override
    public ByteBuffer asByteBuffer() {
        // slice() hides the rest of a shared array, and asReadOnlyBuffer() the array itself.
        return ByteBuffer.wrap(array, offset, length).slice().asReadOnlyBuffer();
    }

    @Override
    public InputStream openStream() {
        return new ByteArrayInputStream(array, offset, length);
    }

    @Override
    public String text(Charset charset) {
        return new String(array, offset, length, charset);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        if (other instanceof BufferPayload buffer) {
            return buffer.sameBytes(this);
        }
        return other instanceof BytesPayload that
                && Arrays.equals(array, offset, offset + length, that.array, that.offset, that.offset + that.length);
    }

    @Override
    public int hashCode() {
        return hash(length, array, offset);
    }

    /** Returns the hash code of a payload of {@code length} bytes that begins at {@code offset}. */
    static int hash(int length, byte[] bytes, int offset) {
        int hash = length;
        int end = offset + Math.min(length, HASHED_BYTES);
        for (int i = offset; i < end; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash;
    }

    @Override
    public String toString() {
        return length + " bytes";
    }
}

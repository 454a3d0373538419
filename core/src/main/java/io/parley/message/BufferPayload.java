package io.parley.message;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Bytes in consecutive buffers: buffers of the application, or borrowed memory that is valid until a {@link BorrowScope} ends. */
final class BufferPayload implements Payload {
    private static final int COPY_BYTES = 64 * 1024;

    /** Must not leave this class, so that their positions stay at 0. */
    private final ByteBuffer[] parts;

    private final int size;
    private final @Nullable BorrowScope scope;

    /** Takes ownership of {@code parts} and its buffers. The payload is the remaining bytes of the buffers. */
    BufferPayload(ByteBuffer[] parts, int size, @Nullable BorrowScope scope) {
        this.parts = parts;
        this.size = size;
        this.scope = scope;
    }

    /** See {@link Payload#borrowed} and, without a scope, {@link Payload#ofParts}. */
    static Payload of(@Nullable BorrowScope scope, ByteBuffer[] parts) {
        long size = 0;
        for (int i = 0; i < parts.length; i++) {
            size += parts[i].remaining();
            if (parts[i].remaining() < parts[i].capacity()) {
                parts[i] = parts[i].slice(); // views must not show bytes outside the payload
            }
        }
        if (size > MessageElement.MAX_ARRAY_BYTES) {
            throw new IllegalArgumentException(
                    "payload: " + size + " bytes (expected: <= " + MessageElement.MAX_ARRAY_BYTES + ")");
        }
        return size == 0 ? BytesPayload.EMPTY : new BufferPayload(parts, (int) size, scope);
    }

    private void startReading() {
        if (scope != null) {
            scope.startReading();
        }
    }

    private void doneReading() {
        if (scope != null) {
            scope.doneReading();
        }
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public boolean isBorrowed() {
        return scope != null;
    }

    @Override
    public boolean hasArray() {
        return false;
    }

    @Override
    public byte[] array() {
        throw noArray();
    }

    @Override
    public int arrayOffset() {
        throw noArray();
    }

    private UnsupportedOperationException noArray() {
        return new UnsupportedOperationException("payload in a buffer: has no array: " + this);
    }

    @Override
    public boolean hasBuffer() {
        return scope == null && parts.length == 1;
    }

    @Override
    public void readInto(ByteBuffer target, long position) {
        if (position < 0 || target.remaining() > size - position) {
            throw new IllegalArgumentException(
                    "position: " + position + " + " + target.remaining() + " (expected: inside " + size + " bytes)");
        }
        startReading();
        try {
            int skipped = (int) position;
            for (int i = 0; i < parts.length && target.hasRemaining(); i++) {
                int partSize = parts[i].remaining();
                if (skipped < partSize) {
                    int length = Math.min(partSize - skipped, target.remaining());
                    int start = target.position();
                    target.put(start, parts[i], skipped, length).position(start + length);
                    skipped = 0;
                } else {
                    skipped -= partSize;
                }
            }
        } finally {
            doneReading();
        }
    }

    @Override
    public void writeTo(OutputStream target) throws IOException {
        byte[] chunk = new byte[Math.min(size, COPY_BYTES)];
        for (int done = 0; done < size; ) {
            int length = Math.min(chunk.length, size - done);
            readInto(ByteBuffer.wrap(chunk, 0, length), done);
            target.write(chunk, 0, length);
            done += length;
        }
    }

    @Override
    public byte[] toByteArray() {
        byte[] bytes = new byte[size];
        readInto(ByteBuffer.wrap(bytes), 0);
        return bytes;
    }

    @Override
    public ByteBuffer asByteBuffer() {
        return parts.length == 1 ? view(parts[0]) : Payload.super.asByteBuffer();
    }

    @Override
    public List<ByteBuffer> asByteBuffers() {
        if (parts.length == 1) {
            return List.of(view(parts[0]));
        }
        return Arrays.stream(parts).map(this::view).toList();
    }

    /** Fails if the scope has ended. Later use of the returned view cannot be checked. */
    private ByteBuffer view(ByteBuffer part) {
        startReading();
        try {
            return part.asReadOnlyBuffer();
        } finally {
            doneReading();
        }
    }

    @Override
    public InputStream openStream() {
        return new BufferStream();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || (other instanceof Payload that && !(that instanceof FilePayload) && sameBytes(that));
    }

    boolean sameBytes(Payload that) {
        return that.size() == size && Arrays.equals(toByteArray(), that.toByteArray());
    }

    @Override
    public int hashCode() {
        ByteBuffer first = ByteBuffer.allocate(Math.min(size, BytesPayload.HASHED_BYTES));
        readInto(first, 0);
        return BytesPayload.hash(size, first.array(), 0);
    }

    @Override
    public String toString() {
        return size + " bytes";
    }

    private final class BufferStream extends InputStream {
        private int position;

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int start, int length) {
            Objects.checkFromIndexSize(start, length, target.length);
            if (length == 0) {
                return 0;
            }
            int read = Math.min(length, size - position);
            if (read == 0) {
                return -1;
            }
            readInto(ByteBuffer.wrap(target, start, read), position);
            position += read;
            return read;
        }

        @Override
        public int available() {
            return size - position;
        }
    }
}

package io.parley.message;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Objects;

/**
 * The bytes of one element: a range of an array, a buffer, or a region of a file that is read on access. Applications
 * use the methods of {@link MessageElement}; this type is for codecs, which access the bytes in place.
 *
 * <p>Immutable and thread-safe. Two payloads are equal if their bytes are equal. A file payload is equal only to a payload
 * of the same region of the same path, because {@code equals} must not read files.
 *
 * <p>Reading a file payload fails with {@link io.parley.error.ErrorCode#NOT_ENCODABLE NOT_ENCODABLE} if the file cannot be
 * read or has become shorter since the element was created.
 *
 * <p>A {@linkplain #isBorrowed borrowed} payload shares the memory of the network layer and is valid until the listener
 * that received it returns, or until the message is released ({@code ChannelListener.isBorrowing}). Later reads, in any
 * thread, fail with {@link IllegalStateException}. Buffers returned by {@link #asByteBuffer} and {@link #asByteBuffers}
 * cannot be checked and must not be used after that: they may show other messages or crash the process.
 */
public sealed interface Payload permits BytesPayload, BufferPayload, FilePayload {

    /** Wraps an array without a copy. Takes ownership of {@code bytes}, which must not be changed afterwards. */
    static Payload of(byte[] bytes) {
        return of(bytes, 0, bytes.length);
    }

    /**
     * Wraps a range of an array without a copy. Takes ownership of the range, which must not be changed afterwards.
     *
     * @throws IllegalArgumentException if the range is not inside the array
     */
    static Payload of(byte[] bytes, int offset, int length) {
        if (offset < 0 || length < 0 || length > bytes.length - offset) {
            throw new IllegalArgumentException(
                    "range: " + offset + " + " + length + " (expected: inside an array of " + bytes.length + " bytes)");
        }
        return length == 0 ? BytesPayload.EMPTY : new BytesPayload(bytes, offset, length);
    }

    /**
     * Wraps the remaining bytes of a buffer without a copy. Takes ownership of the bytes, which must not be changed
     * afterwards. The buffer's position does not change. Direct memory is written to the network without a copy.
     */
    static Payload of(ByteBuffer bytes) {
        if (bytes.hasArray()) {
            return of(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
        }
        return bytes.hasRemaining()
                ? new BufferPayload(new ByteBuffer[] {bytes.slice()}, bytes.remaining(), null)
                : BytesPayload.EMPTY;
    }

    /**
     * Joins buffers without a copy, such as a content and what an encoding scheme puts before or behind it. Takes ownership of the array
     * and the buffers, whose bytes must not be changed afterwards.
     *
     * @param parts buffers, the remaining bytes of which are the payload, in order
     * @throws IllegalArgumentException if their size exceeds the maximum length of an array
     */
    static Payload ofParts(ByteBuffer... parts) {
        return parts.length == 1 ? of(parts[0]) : BufferPayload.of(null, parts);
    }

    /**
     * Wraps memory that may be read until a scope ends. The payload is {@linkplain #isBorrowed borrowed}. For codecs.
     *
     * @param scope the period for which the memory is valid
     * @param parts buffers, the remaining bytes of which are the payload, in order. Takes ownership of the array and the
     *     buffers; their memory is borrowed
     * @throws IllegalArgumentException if their size exceeds the maximum length of an array
     */
    static Payload borrowed(BorrowScope scope, ByteBuffer... parts) {
        return BufferPayload.of(Objects.requireNonNull(scope, "scope"), parts);
    }

    /** Copies the remaining bytes of a buffer. {@code bytes} is borrowed for this call; its position does not change. */
    static Payload copyOf(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(bytes.position(), copy);
        return of(copy);
    }

    /** Returns the size in bytes. */
    long size();

    /** Returns whether the bytes are valid only until a listener returns. {@link #toByteArray} returns a copy that stays valid. */
    default boolean isBorrowed() {
        return false;
    }

    /** Returns whether the bytes are in an array, so that {@link #array} and {@link #arrayOffset} may be called. */
    boolean hasArray();

    /**
     * Returns the array that contains the bytes. It must not be modified, because all users of the message share it.
     *
     * @throws UnsupportedOperationException if {@link #hasArray} is false
     */
    byte[] array();

    /**
     * Returns the index in {@link #array} at which the {@link #size} bytes begin.
     *
     * @throws UnsupportedOperationException if {@link #hasArray} is false
     */
    int arrayOffset();

    /**
     * Returns whether {@link #asByteBuffer} returns a view without a copy that stays valid as long as this payload is
     * reachable. False for files, borrowed payloads and those in several parts.
     */
    boolean hasBuffer();

    /**
     * Fills a buffer: copies {@code target.remaining()} bytes, from {@code position} in this payload on.
     *
     * @param target borrowed for this call; its position moves to its limit
     * @throws IllegalArgumentException if this payload has fewer bytes from {@code position} on
     */
    void readInto(ByteBuffer target, long position);

    /** Writes all bytes to a stream. The stream is neither flushed nor closed. */
    void writeTo(OutputStream target) throws IOException;

    /** Returns a new array with all bytes. Fails with MESSAGE_TOO_LARGE if a file payload exceeds the maximum length of an array. */
    byte[] toByteArray();

    /**
     * Returns a read-only view of the bytes. A file is read into memory, and a payload in several parts is copied;
     * {@link #asByteBuffers} avoids this copy.
     */
    default ByteBuffer asByteBuffer() {
        return ByteBuffer.wrap(toByteArray()).asReadOnlyBuffer();
    }

    /**
     * Returns read-only views of the bytes without a copy, in order. There are several only for a payload in several parts. Suitable for a {@link java.nio.channels.GatheringByteChannel}. A file is read into memory.
     */
    default List<ByteBuffer> asByteBuffers() {
        return List.of(asByteBuffer());
    }

    /** Returns a stream over the bytes. The caller must close it. */
    InputStream openStream();

    /** Returns the bytes as text. Malformed input is replaced by the replacement character of the charset. */
    default String text(Charset charset) {
        return new String(toByteArray(), Objects.requireNonNull(charset, "charset"));
    }
}

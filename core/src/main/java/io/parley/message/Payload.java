package io.parley.message;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Objects;

/**
 * The bytes of one element: a range of an array, a buffer, or a region of a file that is read only when somebody asks for
 * it.
 * Applications use the conveniences of {@link MessageElement}; this type is for codecs, which need the bytes where they
 * lie.
 *
 * <p>Immutable and usable from any thread. Two payloads are equal when their bytes are; a file payload equals only one
 * of the same region of the same path, because comparing shall not read files.
 *
 * <p>Whatever reads a file payload fails with {@link io.parley.error.ErrorCode#NOT_ENCODABLE NOT_ENCODABLE} when the
 * file can't be read or has become shorter than it was when the element was made.
 *
 * <p>A payload that {@link #isBorrowed} shares the memory of the network and is there until the listener that got it returns.
 * Whatever reads it later, in any thread, fails with {@link IllegalStateException}; but buffers that it has given out
 * ({@link #asByteBuffer}, {@link #asByteBuffers}) can't be taken back and must not be touched any more: they may show
 * other messages, or end the process.
 */
public sealed interface Payload permits BytesPayload, BufferPayload, FilePayload {

    /** Wraps the array without a copy: takes ownership, the array must not be changed afterwards. */
    static Payload of(byte[] bytes) {
        return of(bytes, 0, bytes.length);
    }

    /**
     * Wraps a range of the array without a copy: takes ownership, the range must not be changed afterwards.
     *
     * @throws IllegalArgumentException when the range does not lie in the array
     */
    static Payload of(byte[] bytes, int offset, int length) {
        if (offset < 0 || length < 0 || length > bytes.length - offset) {
            throw new IllegalArgumentException(
                    "range: " + offset + " + " + length + " (expected: inside an array of " + bytes.length + " bytes)");
        }
        return length == 0 ? BytesPayload.EMPTY : new BytesPayload(bytes, offset, length);
    }

    /**
     * Wraps the buffer's remaining bytes without a copy: takes ownership of them, they must not be changed afterwards. The
     * buffer's position stays as it is. Bytes in direct memory go to the network from where they lie.
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
     * For codecs: wraps memory that may be read until the loan ends. The payload is {@linkplain #isBorrowed lent}.
     *
     * @param parts the remaining bytes of each, in order. Takes ownership of the array and the buffers; their memory is
     *     borrowed
     * @throws IllegalArgumentException when they have more bytes than an array can hold
     */
    static Payload borrowed(BorrowScope loan, ByteBuffer... parts) {
        Objects.requireNonNull(loan, "loan");
        long size = 0;
        for (int i = 0; i < parts.length; i++) {
            size += parts[i].remaining();
            if (parts[i].remaining() < parts[i].capacity()) {
                parts[i] = parts[i].slice(); // so that no view shows what is beside it
            }
        }
        if (size > MessageElement.MAX_ARRAY_BYTES) {
            throw new IllegalArgumentException(
                    "lent: " + size + " bytes (expected: <= " + MessageElement.MAX_ARRAY_BYTES + ")");
        }
        return size == 0 ? BytesPayload.EMPTY : new BufferPayload(parts, (int) size, loan);
    }

    /** Copies the remaining bytes; the buffer and its position stay as they are (borrowed for this call). */
    static Payload copyOf(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(bytes.position(), copy);
        return of(copy);
    }

    /** The size in bytes. */
    long size();

    /** Whether the bytes are there only until a listener returns, see above. {@link #toByteArray} gives some to keep. */
    default boolean isBorrowed() {
        return false;
    }

    /** Whether the bytes lie in an array, so that {@link #array} and {@link #arrayOffset} may be called. */
    boolean hasArray();

    /**
     * The array that holds the bytes, for reading only: writing to it changes the message under its other users.
     *
     * @throws UnsupportedOperationException when {@link #hasArray} is false
     */
    byte[] array();

    /**
     * Where in {@link #array} the bytes begin; there are {@link #size} of them.
     *
     * @throws UnsupportedOperationException when {@link #hasArray} is false
     */
    int arrayOffset();

    /**
     * Whether {@link #asByteBuffer} shows the bytes where they lie and for as long as this payload is held: not so for
     * files and lent bytes.
     */
    boolean hasBuffer();

    /**
     * Fills the buffer: copies {@code target.remaining()} bytes that begin {@code position} bytes into this payload.
     *
     * @param target borrowed for this call; its position moves to its limit
     * @throws IllegalArgumentException when this payload has not that many bytes after {@code position}
     */
    void readInto(ByteBuffer target, long position);

    /** Writes all bytes; the stream is neither flushed nor closed. Fails with what the stream throws. */
    void writeTo(OutputStream target) throws IOException;

    /** A new array with all bytes. Fails with MESSAGE_TOO_LARGE for a file payload that no array can hold. */
    byte[] toByteArray();

    /**
     * A read-only view of the bytes. A file is read into memory for it, and lent bytes that lie in several places are
     * copied; {@link #asByteBuffers} spares that.
     */
    default ByteBuffer asByteBuffer() {
        return ByteBuffer.wrap(toByteArray()).asReadOnlyBuffer();
    }

    /**
     * Read-only views of the bytes where they lie, in order: one, but for lent bytes that came in pieces. They suit a
     * {@link java.nio.channels.GatheringByteChannel}. A file is read into memory for it.
     */
    default List<ByteBuffer> asByteBuffers() {
        return List.of(asByteBuffer());
    }

    /** A stream over the bytes; the caller closes it. */
    InputStream openStream();

    /** The bytes as text; what the charset can't decode becomes its replacement character. */
    default String text(Charset charset) {
        return new String(toByteArray(), Objects.requireNonNull(charset, "charset"));
    }
}

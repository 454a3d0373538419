package io.parley.codec.compress.internal;

import io.parley.error.ErrorCode;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Files of the gzip format (RFC 1952) with one member, and without the name of a file, a comment or other optional fields. {@link
 * java.util.zip.GZIPInputStream} has no limit of its output, and ignores what follows the member.
 */
public final class GzipFormat {

    private static final short MAGIC = (short) 0x1f8b;
    private static final int HEADER_BYTES = 10;
    private static final int TRAILER_BYTES = 2 * Integer.BYTES;
    private static final byte UNKNOWN_SYSTEM = (byte) 255;

    private GzipFormat() {}

    /** Compresses a content. Returns empty if the result would not be smaller. */
    public static Optional<Payload> compress(Payload content) {
        int size = (int) content.size();
        if (size <= HEADER_BYTES + TRAILER_BYTES) {
            return Optional.empty();
        }
        List<ByteBuffer> parts = content.asByteBuffers();
        CRC32 checksum = new CRC32();
        parts.forEach(part -> checksum.update(part.duplicate()));
        // A full array is a result that is as large as the content. Zlib needs a byte that it does not use to notice
        // the end.
        GrowingArray out = new GrowingArray(HEADER_BYTES, size - TRAILER_BYTES, size / 4);
        if (!RawDeflate.compress(parts, Deflater.DEFAULT_COMPRESSION, out)) {
            return Optional.empty();
        }
        return Optional.of(file(out, (int) checksum.getValue(), size));
    }

    private static Payload file(GrowingArray out, int checksum, int size) {
        byte[] file = out.toArray(TRAILER_BYTES);
        ByteBuffer.wrap(file)
                .putShort(MAGIC)
                .put((byte) Deflater.DEFLATED)
                .put(HEADER_BYTES - 1, UNKNOWN_SYSTEM)
                .position(file.length - TRAILER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(checksum)
                .putInt(size);
        return Payload.of(file);
    }

    /**
     * Restores the content of a file.
     *
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE if the file is not one that {@link #compress} returns; LIMIT_EXCEEDED if
     *     the content has more than {@code maxBytes}
     */
    public static Payload expand(Payload file, long maxBytes) {
        ByteBuffer in = file.asByteBuffer().order(ByteOrder.BIG_ENDIAN);
        if (in.remaining() < HEADER_BYTES + TRAILER_BYTES) {
            throw Malformed.because("truncated after " + in.remaining() + " bytes");
        }
        if (in.getShort() != MAGIC || in.get() != Deflater.DEFLATED || in.get() != 0) {
            throw Malformed.because("unknown header");
        }
        in.position(HEADER_BYTES);
        GrowingArray out = new GrowingArray(
                0, (int) Math.min(maxBytes, Integer.MAX_VALUE - Long.BYTES), 4 * Math.min(in.remaining(), 1 << 24));
        if (!RawDeflate.expand(in, out)) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("gzip: larger content (expected: <= " + maxBytes + " bytes)");
        }
        byte[] content = out.toArray(0);
        checkTrailer(in.order(ByteOrder.LITTLE_ENDIAN), content);
        return Payload.of(content);
    }

    /** Returns the size of the content that a file states, which may not be true; 0 if the file is too short. */
    public static long statedSize(Payload file) {
        if (file.size() < HEADER_BYTES + TRAILER_BYTES) {
            return 0;
        }
        ByteBuffer in = file.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        return Integer.toUnsignedLong(in.getInt(in.limit() - Integer.BYTES));
    }

    private static void checkTrailer(ByteBuffer in, byte[] content) {
        if (in.remaining() != TRAILER_BYTES) {
            throw Malformed.because(
                    in.remaining() + " bytes behind the compressed data (expected: " + TRAILER_BYTES + ")");
        }
        CRC32 checksum = new CRC32();
        checksum.update(content);
        if (in.getInt() != (int) checksum.getValue() || in.getInt() != content.length) {
            throw Malformed.because("the checksum or the size is that of another content");
        }
    }
}

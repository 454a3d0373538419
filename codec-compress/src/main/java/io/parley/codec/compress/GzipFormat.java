package io.parley.codec.compress;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Files of the gzip format (RFC 1952) with one member, and without the name of a file, a comment or other optional fields. {@link
 * java.util.zip.GZIPInputStream} has no limit of its output, and ignores what follows the member.
 */
final class GzipFormat {

    private static final short MAGIC = (short) 0x1f8b;
    private static final int HEADER_BYTES = 10;
    private static final int TRAILER_BYTES = 2 * Integer.BYTES;
    private static final byte UNKNOWN_SYSTEM = (byte) 255;

    /** The size of the first array of an output. The array grows with the output. */
    private static final int FIRST_BYTES = 512;

    private GzipFormat() {}

    /** Compresses a content. Returns empty if the result would not be smaller. */
    static Optional<Payload> compress(Payload content) {
        int size = (int) content.size();
        if (size <= HEADER_BYTES + TRAILER_BYTES) {
            return Optional.empty();
        }
        Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        try {
            // A full array is a result that is as large as the content. Zlib needs a byte that it does not use to
            // notice the end.
            GrowingArray out = new GrowingArray(HEADER_BYTES, size - TRAILER_BYTES, size / 4);
            CRC32 checksum = new CRC32();
            for (ByteBuffer part : content.asByteBuffers()) {
                checksum.update(part.duplicate());
                deflater.setInput(part);
                while (!deflater.needsInput()) {
                    if (!out.deflate(deflater)) {
                        return Optional.empty();
                    }
                }
            }
            deflater.finish();
            while (!deflater.finished()) {
                if (!out.deflate(deflater)) {
                    return Optional.empty();
                }
            }
            return Optional.of(file(out, (int) checksum.getValue(), size));
        } finally {
            deflater.end();
        }
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
    static Payload expand(Payload file, long maxBytes) {
        ByteBuffer in = file.asByteBuffer().order(ByteOrder.BIG_ENDIAN);
        if (in.remaining() < HEADER_BYTES + TRAILER_BYTES) {
            throw malformed("truncated after " + in.remaining() + " bytes");
        }
        if (in.getShort() != MAGIC || in.get() != Deflater.DEFLATED || in.get() != 0) {
            throw malformed("unknown header");
        }
        in.position(HEADER_BYTES);
        Inflater inflater = new Inflater(true);
        try {
            GrowingArray out = new GrowingArray(
                    0, (int) Math.min(maxBytes, Integer.MAX_VALUE - Long.BYTES), 4 * Math.min(in.remaining(), 1 << 24));
            inflater.setInput(in);
            while (!inflater.finished()) {
                boolean full = out.isFull();
                int written = full ? inflater.inflate(new byte[1]) : out.inflate(inflater);
                if (full && written > 0) {
                    throw ErrorCode.LIMIT_EXCEEDED.exception(
                            "gzip: larger content (expected: <= " + maxBytes + " bytes)");
                }
                if (written == 0 && !inflater.finished()) {
                    throw malformed("the compressed data are truncated");
                }
            }
            byte[] content = out.toArray(0);
            checkTrailer(in.order(ByteOrder.LITTLE_ENDIAN), content);
            return Payload.of(content);
        } catch (DataFormatException e) {
            throw malformed("invalid compressed data: " + e.getMessage());
        } finally {
            inflater.end();
        }
    }

    private static void checkTrailer(ByteBuffer in, byte[] content) {
        if (in.remaining() != TRAILER_BYTES) {
            throw malformed(in.remaining() + " bytes behind the compressed data (expected: " + TRAILER_BYTES + ")");
        }
        CRC32 checksum = new CRC32();
        checksum.update(content);
        if (in.getInt() != (int) checksum.getValue() || in.getInt() != content.length) {
            throw malformed("the checksum or the size is that of another content");
        }
    }

    private static ParleyException malformed(String reason) {
        return ErrorCode.MALFORMED_MESSAGE.exception("gzip: " + reason);
    }

    /** An output whose array grows with what is written to it, so that few bytes of a remote peer allocate little. */
    private static final class GrowingArray {

        private final int maxLength;
        private byte[] bytes;
        private int length;

        /**
         * @param reserved  the number of bytes at the beginning that are written later
         * @param maxLength the maximum number of bytes, those included
         * @param expected  a guess of the number
         */
        GrowingArray(int reserved, int maxLength, int expected) {
            this.maxLength = maxLength;
            this.bytes = new byte[Math.max(reserved, Math.min(maxLength, Math.max(FIRST_BYTES, expected)))];
            this.length = reserved;
        }

        boolean isFull() {
            return length == maxLength;
        }

        /** Returns {@code false} if there is no room. */
        boolean deflate(Deflater deflater) {
            if (isFull()) {
                return false;
            }
            grow();
            length += deflater.deflate(bytes, length, bytes.length - length);
            return true;
        }

        /** Returns the number of bytes that were written. */
        int inflate(Inflater inflater) throws DataFormatException {
            grow();
            int written = inflater.inflate(bytes, length, bytes.length - length);
            length += written;
            return written;
        }

        private void grow() {
            if (length == bytes.length) {
                bytes = Arrays.copyOf(bytes, (int) Math.min(maxLength, 2L * bytes.length));
            }
        }

        /** Returns the bytes, and room for more behind them. */
        byte[] toArray(int more) {
            return bytes.length == length + more ? bytes : Arrays.copyOf(bytes, length + more);
        }
    }
}

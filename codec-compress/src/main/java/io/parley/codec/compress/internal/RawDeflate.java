package io.parley.codec.compress.internal;

import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** The deflate format (RFC 1951) without a header or a trailer. */
final class RawDeflate {

    private RawDeflate() {}

    /** Compresses the remaining bytes of some buffers, which it reads. Returns false if the output is full. */
    static boolean compress(Iterable<ByteBuffer> in, int level, GrowingArray out) {
        Deflater deflater = new Deflater(level, true);
        try {
            for (ByteBuffer part : in) {
                deflater.setInput(part);
                while (!deflater.needsInput()) {
                    if (!out.deflate(deflater)) {
                        return false;
                    }
                }
            }
            deflater.finish();
            while (!deflater.finished()) {
                if (!out.deflate(deflater)) {
                    return false;
                }
            }
            return true;
        } finally {
            deflater.end();
        }
    }

    /**
     * Expands compressed data, and leaves the position of the buffer behind them.
     *
     * @return false if the output has no room for the rest
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE if the data are not complete or not valid
     */
    static boolean expand(ByteBuffer in, GrowingArray out) {
        Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(in);
            while (!inflater.finished()) {
                boolean full = out.isFull();
                int written = full ? inflater.inflate(new byte[1]) : out.inflate(inflater);
                if (full && written > 0) {
                    return false;
                }
                if (written == 0 && !inflater.finished()) {
                    throw Malformed.because("the compressed data are truncated");
                }
            }
            return true;
        } catch (DataFormatException e) {
            throw Malformed.because("invalid compressed data: " + e.getMessage());
        } finally {
            inflater.end();
        }
    }
}

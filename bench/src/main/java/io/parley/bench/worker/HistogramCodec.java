package io.parley.bench.worker;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Creates histograms of nanoseconds, and encodes and decodes them for transfer between processes. */
final class HistogramCodec {

    private static final int SIGNIFICANT_DIGITS = 3;
    private static final int FEW_DIGITS = 2;

    private HistogramCodec() {}

    static Histogram create() {
        return new Histogram(SIGNIFICANT_DIGITS);
    }

    /** Creates one of many histograms: with less memory and less precision. */
    static Histogram createSmall() {
        return new Histogram(FEW_DIGITS);
    }

    static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        buffer.flip();
        byte[] bytes = new byte[length];
        buffer.get(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    static Histogram decode(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
        } catch (DataFormatException invalid) {
            throw new IllegalStateException("histogram: worker sent invalid data", invalid);
        }
    }
}

package io.parley.bench.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.bench.workload.Workload;
import io.parley.codec.CodecSession;
import java.util.stream.IntStream;

/** Computes the sizes of encoded messages. The sizes are the same on every machine. */
public final class EncodedSizes {

    private EncodedSizes() {}

    /**
     * Returns the sizes of messages of a sequence, in bytes.
     *
     * @param warmUp the number of messages that are encoded first, by the same session if the format retains it
     * @param measured the number of messages that are measured
     */
    public static int[] of(CodecFormat format, Workload workload, int warmUp, int measured) {
        CodecSession session = format.newSession();
        int[] sizes = new int[warmUp + measured];
        for (int i = 0; i < sizes.length; i++) {
            if (!format.isRetained()) {
                session = format.newSession();
            }
            ByteBuf encoded = session.encode(workload.message(i), UnpooledByteBufAllocator.DEFAULT);
            sizes[i] = encoded.readableBytes();
            encoded.release();
        }
        return IntStream.of(sizes).skip(warmUp).toArray();
    }
}

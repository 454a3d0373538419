package io.parley.bench.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.bench.workload.Workload;
import io.parley.codec.CodecSession;
import java.util.stream.IntStream;

/** How many bytes messages take. The same on every machine. */
public final class EncodedSizes {

    private EncodedSizes() {}

    /**
     * The sizes of some messages of a conversation.
     *
     * @param learning how many are encoded before, by the same session if the format retains it
     * @param measured how many are measured
     */
    public static int[] of(CodecFormat format, Workload composition, int learning, int measured) {
        CodecSession session = format.newSession();
        int[] sizes = new int[learning + measured];
        for (int i = 0; i < sizes.length; i++) {
            if (!format.isRetained()) {
                session = format.newSession();
            }
            ByteBuf encoded = session.encode(composition.message(i), UnpooledByteBufAllocator.DEFAULT);
            sizes[i] = encoded.readableBytes();
            encoded.release();
        }
        return IntStream.of(sizes).skip(learning).toArray();
    }
}

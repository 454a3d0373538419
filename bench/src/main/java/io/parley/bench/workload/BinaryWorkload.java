package io.parley.bench.workload;

import io.parley.message.Message;
import java.nio.ByteBuffer;

/** One element of bytes that mean nothing to the codec, and that differ from message to message. */
final class BinaryWorkload {

    private static final long SEED = 42;

    private final byte[] sample;

    BinaryWorkload(int length) {
        this.sample = new SplitMix64(SEED + length).bytes(length);
    }

    Message message(int place) {
        byte[] bytes = sample.clone();
        ByteBuffer.wrap(bytes).putInt(0, place);
        return Message.of("payload", bytes);
    }
}

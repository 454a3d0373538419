package io.parley.bench.workload;

import io.parley.message.Message;
import java.nio.ByteBuffer;

/** Creates messages with one element of random bytes, which differ between messages. */
final class BinaryWorkload {

    private static final long SEED = 42;

    private final byte[] sample;

    BinaryWorkload(int length) {
        this.sample = new SplitMix64(SEED + length).bytes(length);
    }

    Message message(int index) {
        byte[] bytes = sample.clone();
        ByteBuffer.wrap(bytes).putInt(0, index);
        return Message.of("payload", bytes);
    }
}

package io.parley.bench.netty;

import io.parley.bench.contender.Header;
import io.parley.bench.contender.Signal;
import java.nio.ByteBuffer;

/** Frames as they go over the wire. */
final class Frames {

    private Frames() {}

    static byte[] of(Signal signal, long messages, int payloadBytes) {
        byte[] payload = new Header(signal, messages).message(payloadBytes);
        return ByteBuffer.allocate(Channels.LENGTH_BYTES + payloadBytes)
                .putInt(payloadBytes)
                .put(payload)
                .array();
    }
}

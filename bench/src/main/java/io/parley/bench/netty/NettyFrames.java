package io.parley.bench.netty;

import io.parley.bench.contender.Header;
import io.parley.bench.contender.Signal;
import java.nio.ByteBuffer;

/** Frames as they go over the wire. */
final class NettyFrames {

    private NettyFrames() {}

    static byte[] of(Signal signal, long messages, int payloadBytes) {
        return of(new Header(signal, messages).message(payloadBytes));
    }

    static byte[] answer() {
        return of(Header.answer());
    }

    private static byte[] of(byte[] payload) {
        return ByteBuffer.allocate(LoopbackChannels.LENGTH_BYTES + payload.length)
                .putInt(payload.length)
                .put(payload)
                .array();
    }
}

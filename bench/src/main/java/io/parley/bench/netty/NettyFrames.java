package io.parley.bench.netty;

import io.parley.bench.contender.Header;
import io.parley.bench.contender.Signal;
import java.nio.ByteBuffer;

/** Creates frames as they are on the wire. */
final class NettyFrames {

    private NettyFrames() {}

    static byte[] of(Signal signal, long messages, int payloadBytes) {
        return of(new Header(signal, messages).message(payloadBytes));
    }

    static byte[] reply() {
        return of(Header.reply());
    }

    private static byte[] of(byte[] payload) {
        return ByteBuffer.allocate(LoopbackChannels.LENGTH_BYTES + payload.length)
                .putInt(payload.length)
                .put(payload)
                .array();
    }
}

package io.parley.testkit.codec;

import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import java.util.OptionalLong;

/** Runs the contract suite with a stateful codec, because core contains none. */
final class StatefulCodecTest extends MessageCodecContractTest {
    @Override
    protected MessageCodec codec() {
        return new StatefulCodec();
    }

    @Override
    protected OptionalLong stateBytes(CodecSession session) {
        return OptionalLong.of(((StatefulCodec.Session) session).stateBytes());
    }

    /** Not applicable, because this codec is not registered as a service. */
    @Override
    protected void codec_isFoundOnTheClassPath() {}
}

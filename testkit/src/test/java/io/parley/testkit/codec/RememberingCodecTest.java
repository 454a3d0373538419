package io.parley.testkit.codec;

import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import java.util.OptionalLong;

/** The contract for sessions that remember, of which core has none of its own. */
final class RememberingCodecTest extends MessageCodecContractTest {
    @Override
    protected MessageCodec codec() {
        return new RememberingCodec();
    }

    @Override
    protected OptionalLong stateBytes(CodecSession session) {
        return OptionalLong.of(((RememberingCodec.Session) session).stateBytes());
    }

    /** No test here: a codec of tests is nobody's to find. */
    @Override
    protected void codec_isFoundOnTheClassPath() {}
}

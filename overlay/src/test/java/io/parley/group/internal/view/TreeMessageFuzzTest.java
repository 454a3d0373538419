package io.parley.group.internal.view;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.PeerFaultException;
import org.junit.jupiter.api.Tag;

/**
 * Reads inputs of a fuzzer as binary messages of a broadcast tree. To run the fuzzer:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl overlay -am test -Dtest=TreeMessageFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class TreeMessageFuzzTest {

    private final CodecSession session = MessageCodec.binary().newSession(MessageLimits.DEFAULTS);

    /** Each message that is read can be written again. */
    @FuzzTest(maxDuration = "60s")
    void read(byte[] input) {
        try {
            TreeMessageFormat.write(TreeMessageFormat.read(session.decode(Unpooled.wrappedBuffer(input)), 64 << 10));
        } catch (PeerFaultException e) {
            // the only permitted exception
        }
    }
}

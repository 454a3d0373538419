package io.parley.resolver.internal;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.PeerFaultException;
import org.junit.jupiter.api.Tag;

/**
 * Reads inputs of a fuzzer as binary messages to a resolver. To run the fuzzer:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl overlay -am test -Dtest=ResolverMessageFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class ResolverMessageFuzzTest {
    private final CodecSession session = MessageCodec.binary().newSession(MessageLimits.DEFAULTS);

    @FuzzTest(maxDuration = "60s")
    void read(byte[] input) {
        ResolverMessage message;
        try {
            message = ResolverMessageFormat.read(session.decode(Unpooled.wrappedBuffer(input)));
        } catch (PeerFaultException e) {
            return; // the only permitted exception
        }
        try {
            if (!ResolverMessageFormat.read(ResolverMessageFormat.write(message))
                    .equals(message)) {
                throw new AssertionError("message changes in a round trip: " + message);
            }
        } catch (PeerFaultException e) {
            // A name that is not valid UTF-8 becomes longer and may exceed the limit.
        }
    }
}

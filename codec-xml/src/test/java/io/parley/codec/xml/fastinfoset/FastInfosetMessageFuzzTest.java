package io.parley.codec.xml.fastinfoset;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.error.PeerFaultException;
import io.parley.message.Message;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;

/**
 * Decodes sessions of a fuzzer: a sequence of messages, each preceded by its length in two bytes. A normal build only
 * replays the seed corpus under {@code src/test/resources}. To search for new inputs, run in the project folder:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl codec-xml -am test -Dtest=FastInfosetMessageFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 *
 * <p>The fuzzer saves a failing input in those resources. It must be committed with the fix.
 */
@Tag("fuzz")
final class FastInfosetMessageFuzzTest {
    private static final MessageLimits LIMITS =
            MessageLimits.DEFAULTS.toBuilder().maxMessageBytes(1 << 20).build();

    @FuzzTest(maxDuration = "60s")
    void decodeSession(byte[] input) {
        ByteBuffer rest = ByteBuffer.wrap(input);
        CodecSession decoder = Sessions.open(LIMITS);
        CodecSession encoder = Sessions.open();
        CodecSession secondDecoder = Sessions.open();
        while (rest.remaining() > 2) {
            byte[] encoded = new byte[Math.min(rest.getShort() & 0xFFFF, rest.remaining())];
            rest.get(encoded);
            Message message;
            try {
                message = Sessions.decode(decoder, encoded);
            } catch (PeerFaultException e) {
                return; // the only permitted exception
            }
            if (!Sessions.decode(secondDecoder, Sessions.encode(encoder, message))
                    .equals(message)) {
                throw new AssertionError("decoded message changes in a round trip: " + message);
            }
        }
    }
}

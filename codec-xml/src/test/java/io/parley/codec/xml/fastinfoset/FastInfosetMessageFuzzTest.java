package io.parley.codec.xml.fastinfoset;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.error.PeerFaultException;
import io.parley.message.Message;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;

/**
 * Decodes sessions that a fuzzer thinks of: messages one after the other, each with its length in two bytes. In a normal
 * build it only replays the inputs that are kept under {@code src/test/resources}; to search for new ones, from the
 * project's folder:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl codec-xml -am test -Dtest=FastInfosetMessageFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 *
 * <p>An input that fails is left in those resources, and is to be committed with the repair.
 */
@Tag("fuzz")
final class FastInfosetMessageFuzzTest {
    private static final MessageLimits LIMITS =
            MessageLimits.DEFAULTS.toBuilder().maxMessageBytes(1 << 20).build();

    @FuzzTest(maxDuration = "60s")
    void decodeSession(byte[] input) {
        ByteBuffer rest = ByteBuffer.wrap(input);
        CodecSession decoder = Sessions.open(LIMITS);
        CodecSession again = Sessions.open();
        CodecSession reader = Sessions.open();
        while (rest.remaining() > 2) {
            byte[] encoded = new byte[Math.min(rest.getShort() & 0xFFFF, rest.remaining())];
            rest.get(encoded);
            Message message;
            try {
                message = Sessions.decode(decoder, encoded);
            } catch (PeerFaultException e) {
                return; // the one answer to bytes that are no message
            }
            if (!Sessions.decode(reader, Sessions.encode(again, message)).equals(message)) {
                throw new AssertionError("what was decoded does not survive a round trip: " + message);
            }
        }
    }
}

package io.parley.codec;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.error.PeerFaultException;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import org.junit.jupiter.api.Tag;

/**
 * Decodes whatever a fuzzer thinks of. In a normal build it only replays the inputs that are kept under
 * {@code src/test/resources}; to search for new ones, from the project's folder:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl core -am test -Dtest=BinaryMessageCodecFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 *
 * <p>An input that fails is left in those resources, and is to be committed with the repair.
 */
@Tag("fuzz")
final class BinaryMessageCodecFuzzTest {
    private final CodecSession session = new BinaryMessageCodec().newSession(MessageLimits.DEFAULTS);

    @FuzzTest(maxDuration = "60s")
    void decode(byte[] input) {
        Message message;
        try {
            message = session.decode(Unpooled.wrappedBuffer(input));
        } catch (PeerFaultException e) {
            refusesLent(input);
            return; // the one answer to bytes that are no message
        }
        if (!decodeLent(input).equals(message)) {
            throw new AssertionError("what is lent differs: " + message);
        }
        ByteBuf encoded = session.encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            if (!session.decode(encoded).equals(message)) {
                throw new AssertionError("what was decoded does not survive a round trip: " + message);
            }
        } finally {
            encoded.release();
        }
    }

    private Message decodeLent(byte[] input) {
        return session.decodeBorrowed(Unpooled.wrappedBuffer(input).asReadOnly(), new BorrowScope(() -> {}));
    }

    private void refusesLent(byte[] input) {
        try {
            decodeLent(input);
        } catch (PeerFaultException e) {
            return;
        }
        throw new AssertionError("lent, it is taken for a message");
    }
}

package io.parley.rendezvous.internal;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.PeerFaultException;
import io.parley.message.Message;
import java.util.function.Consumer;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;

/**
 * Reads inputs of a fuzzer as binary messages of discovery and of rendezvous. To run the fuzzer:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl overlay -am test -Dtest=RendezvousMessageFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class RendezvousMessageFuzzTest {
    private final CodecSession session = MessageCodec.binary().newSession(MessageLimits.DEFAULTS);

    @FuzzTest(maxDuration = "60s")
    void read(byte[] input) {
        Message message;
        try {
            message = session.decode(Unpooled.wrappedBuffer(input));
        } catch (PeerFaultException e) {
            return;
        }
        RendezvousProcessorTimeTest.readers().map(Named::getPayload).forEach(reader -> read(reader, message));
    }

    @FuzzTest(maxDuration = "60s")
    void readSigned(byte[] input) {
        try {
            SignedGroupMessage.read(input);
        } catch (PeerFaultException e) {
            // the only permitted exception
        }
    }

    private static void read(Consumer<Message> reader, Message message) {
        try {
            reader.accept(message);
        } catch (PeerFaultException e) {
            // the only permitted exception
        }
    }
}

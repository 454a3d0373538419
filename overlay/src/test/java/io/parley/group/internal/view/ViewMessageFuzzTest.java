package io.parley.group.internal.view;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.PeerFaultException;
import io.parley.transport.PeerAddress;
import java.util.List;
import org.junit.jupiter.api.Tag;

/**
 * Reads inputs of a fuzzer as binary messages about a view. SignedAdvertisementFuzzTest reads the entries. To run the fuzzer:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl overlay -am test -Dtest=ViewMessageFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class ViewMessageFuzzTest {

    private final CodecSession session = MessageCodec.binary().newSession(MessageLimits.DEFAULTS);

    /** A message that was read is written and read again. */
    @FuzzTest(maxDuration = "60s")
    void read(byte[] input) {
        ViewMessage message;
        try {
            message = ViewMessageFormat.read(session.decode(Unpooled.wrappedBuffer(input)), ViewMessageFuzzTest::entry);
        } catch (PeerFaultException e) {
            return; // the only permitted exception
        }
        ViewMessage again = ViewMessageFormat.read(ViewMessageFormat.write(message), ViewMessageFuzzTest::entry);
        if (again.kind() != message.kind()
                || again.hops() != message.hops()
                || again.entries().size() != message.entries().size()) {
            throw new AssertionError(message + " is read as " + again);
        }
    }

    private static MemberEntry entry(byte[] document) {
        return new MemberEntry(new PeerAddress(UnsignedGroupMessages.peer(document.length), List.of()), 1, 2, document);
    }
}

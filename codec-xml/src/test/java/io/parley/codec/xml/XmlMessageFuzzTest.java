package io.parley.codec.xml;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.error.PeerFaultException;
import io.parley.message.Message;
import org.junit.jupiter.api.Tag;

/**
 * Decodes whatever a fuzzer thinks of. In a normal build it only replays the inputs that are kept under
 * {@code src/test/resources}; to search for new ones, from the project's folder:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl codec-xml -am test -Dtest=XmlMessageFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 *
 * <p>An input that fails is left in those resources, and is to be committed with the repair.
 */
@Tag("fuzz")
final class XmlMessageFuzzTest {
    private final CodecSession session = Documents.session(MessageLimits.DEFAULTS);

    @DictionaryEntries({
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
        "<!DOCTYPE Message>",
        "<Message version=\"0\">",
        "</Message>",
        "<Element name=\"a\" mime_type=\"text/plain\">",
        "<Element name=\"n:a\" encoding=\"base64\">AAEC",
        "</Element>",
        " mime_type=\"text/plain;charset=",
        "UTF-16",
        "ISO-2022-JP",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "&#13;",
        "&#x1F680;",
        "&lt;",
        "<!ENTITY a SYSTEM 'b'>"
    })
    @FuzzTest(maxDuration = "60s")
    void decode(byte[] input) {
        Message message;
        try {
            message = session.decode(Unpooled.wrappedBuffer(input));
        } catch (PeerFaultException e) {
            return; // the one answer to bytes that are no message
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
}

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
 * Decodes inputs of a fuzzer. A normal build only replays the seed corpus under {@code src/test/resources}. To search
 * for new inputs, run in the project folder:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl codec-xml -am test -Dtest=XmlMessageFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 *
 * <p>The fuzzer saves a failing input in those resources. It must be committed with the fix.
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
            return; // the only permitted exception
        }
        ByteBuf encoded = session.encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            if (!session.decode(encoded).equals(message)) {
                throw new AssertionError("decoded message changes in a round trip: " + message);
            }
        } finally {
            encoded.release();
        }
    }
}

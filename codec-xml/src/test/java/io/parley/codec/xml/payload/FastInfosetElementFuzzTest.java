package io.parley.codec.xml.payload;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.parley.error.PeerFaultException;
import io.parley.message.Payload;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.junit.jupiter.api.Tag;
import org.w3c.dom.DOMException;
import org.w3c.dom.Document;

/**
 * Reads inputs of a fuzzer as Fast Infoset. A normal build only replays the seed corpus under
 * {@code src/test/resources}. To search for new inputs, run in the project folder:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl codec-xml -am test -Dtest=FastInfosetElementFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 *
 * <p>The fuzzer saves a failing input in those resources. It must be committed with the fix.
 */
@Tag("fuzz")
final class FastInfosetElementFuzzTest {
    private final FastInfosetEncodingScheme encoding = new FastInfosetEncodingScheme();

    @FuzzTest(maxDuration = "60s")
    void read(byte[] input) throws XMLStreamException {
        try {
            XMLStreamReader reader = XmlStreams.DEFAULTS.read(Samples.element(input));
            while (reader.hasNext()) {
                reader.next();
            }
        } catch (PeerFaultException e) {
            return; // the only permitted exception
        }
        Document document;
        try {
            document = XmlDocuments.DEFAULTS.read(Samples.element(input));
        } catch (PeerFaultException e) {
            if (e.getCause() instanceof DOMException) {
                return; // the JDK's DOM allows fewer names than the fifth edition of XML 1.0
            }
            throw e;
        }
        // An accepted document has a text form that can be written and read.
        XmlDocuments.DEFAULTS.read(XmlDocuments.DEFAULTS.write("text", XmlForm.TEXT, document));
    }

    @FuzzTest(maxDuration = "60s")
    void decode(byte[] input) {
        int maxBytes = 1 << 16;
        try {
            Payload text = encoding.decode(Samples.textElement("").withPayload(Payload.of(input)), maxBytes);
            if (text.size() > maxBytes) {
                throw new AssertionError(text.size() + " bytes (expected: <= " + maxBytes + ")");
            }
        } catch (PeerFaultException e) {
            return; // the only permitted exception
        }
    }
}

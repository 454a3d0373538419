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
 * Reads whatever a fuzzer thinks of as Fast Infoset. In a normal build it only replays the inputs that are kept under
 * {@code src/test/resources}; to search for new ones, from the project's folder:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl codec-xml -am test -Dtest=FastInfosetElementFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 *
 * <p>An input that fails is left in those resources, and is to be committed with the repair.
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
            return; // the one answer to bytes that are no document
        }
        Document document;
        try {
            document = XmlDocuments.DEFAULTS.read(Samples.element(input));
        } catch (PeerFaultException e) {
            if (e.getCause() instanceof DOMException) {
                return; // the JDK's DOM knows fewer names than the fifth edition of XML 1.0
            }
            throw e;
        }
        // What was read is XML, so that it can be written and read again.
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
            return; // the one answer to bytes that no encoder makes
        }
    }
}

package io.parley.codec.xml.payload;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.junit.jupiter.api.Tag;
import org.w3c.dom.DOMException;
import org.w3c.dom.Document;

/**
 * Reads inputs of a fuzzer as an XML payload in text form. To run the fuzzer:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl codec-xml -am test -Dtest=XmlElementFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class XmlElementFuzzTest {

    @FuzzTest(maxDuration = "60s")
    void read(byte[] input) throws XMLStreamException {
        MessageElement element = MessageElement.ofXml("xml", "").withPayload(Payload.of(input));
        Document document;
        try {
            XMLStreamReader reader = XmlStreams.DEFAULTS.read(element);
            while (reader.hasNext()) {
                reader.next();
            }
            document = XmlDocuments.DEFAULTS.read(element);
        } catch (PeerFaultException e) {
            return; // the only permitted exception
        }
        try {
            XmlDocuments.DEFAULTS.read(XmlDocuments.DEFAULTS.write("text", XmlForm.TEXT, document));
        } catch (PeerFaultException e) {
            if (!(e.getCause() instanceof DOMException)) {
                throw e;
            }
        }
    }
}

package io.parley.codec.compress;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.parley.encoding.EncodingScheme;
import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Tag;

/**
 * Decodes inputs of a fuzzer as compressed elements, and encodes them as documents. A normal build only replays the seed corpus under
 * {@code src/test/resources}. To search for new inputs, run in the project folder:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl codec-compress -am test -Dtest=CompressedElementFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 *
 * <p>The fuzzer saves a failing input in those resources. It must be committed with the fix.
 */
@Tag("fuzz")
final class CompressedElementFuzzTest {

    private static final int MAX_BYTES = 1 << 16;

    private final EncodingScheme treechop = new TreechopEncodingScheme();
    private final EncodingScheme xmlPpm = new XmlPpmEncodingScheme();
    private final EncodingScheme gzip = new GzipEncodingScheme();

    @FuzzTest(maxDuration = "60s")
    void decodeTreechop(byte[] input) {
        decode(treechop, input);
    }

    /** The nodes of a document, which a fuzzer rarely hits below deflate and a checksum. */
    @FuzzTest(maxDuration = "60s")
    void decodeTreechopNodes(byte[] input) {
        decode(treechop, NodeBytes.content(1, input.length, 0, NodeBytes.deflated(input)));
    }

    /** The data of a document of the largest size that they may have, which a fuzzer would hardly state. */
    @FuzzTest(maxDuration = "60s")
    void decodeXmlPpmData(byte[] input) {
        decode(xmlPpm, NodeBytes.content(1, Math.min(MAX_BYTES, 64 * input.length), 0, input));
    }

    @FuzzTest(maxDuration = "60s")
    void decodeGzip(byte[] input) {
        decode(gzip, input);
    }

    private static void decode(EncodingScheme scheme, byte[] input) {
        try {
            Payload content = scheme.decode(MessageElement.of("encoded", input), MAX_BYTES);
            if (content.size() > MAX_BYTES) {
                throw new AssertionError(content.size() + " bytes (expected: <= " + MAX_BYTES + ")");
            }
        } catch (PeerFaultException e) {
            return; // the only permitted exception
        }
    }

    @DictionaryEntries({
        "<?xml version='1.0'?>",
        "<!DOCTYPE a [<!ENTITY b '<c>'>]>",
        "<a>",
        "</a>",
        "<a/>",
        "<b c=\"d\">",
        "<b c='d'/>",
        " e=\"f\"",
        "</b >",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<?x",
        "?>",
        "&lt;"
    })
    @FuzzTest(maxDuration = "60s")
    void roundTrip(byte[] input) {
        // Behind the root element, blanks make room for the nodes of a small document.
        byte[] document = Arrays.copyOf(input, 2 * input.length + 200);
        Arrays.fill(document, input.length, document.length, (byte) ' ');
        MessageElement element = MessageElement.of("document", document);
        assertRestored(treechop, element);
        assertRestored(xmlPpm, element);
    }

    private static void assertRestored(EncodingScheme scheme, MessageElement element) {
        Optional<Payload> encoded = scheme.encode(element);
        if (encoded.isEmpty()) {
            throw new AssertionError("a document with many blanks has not become smaller");
        }
        if (!scheme.decode(element.withPayload(encoded.get()), element.size()).equals(element.payload())) {
            throw new AssertionError("the document changes in a round trip");
        }
    }
}

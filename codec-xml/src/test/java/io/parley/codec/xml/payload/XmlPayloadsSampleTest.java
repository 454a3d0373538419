package io.parley.codec.xml.payload;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.message.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

/** Runs the sample in {@code docs/xml-payloads.md}, and checks that the page contains it. */
final class XmlPayloadsSampleTest {
    // sample
    record Weather(String place, double celsius) {}

    @Test
    void sample_runs() throws XMLStreamException {
        // sample
        Message message = Message.of(
                XmlObjects.DEFAULTS.write("object", XmlForm.FAST_INFOSET, new Weather("Basel", 21.5)),
                XmlStreams.DEFAULTS.write("stream", XmlForm.TEXT, xml -> {
                    xml.writeStartElement("weather");
                    xml.writeAttribute("place", "Basel");
                    xml.writeEndElement();
                }));

        // sample
        Weather weather = XmlObjects.DEFAULTS.read(message.element("object").orElseThrow(), Weather.class);
        XMLStreamReader reader =
                XmlStreams.DEFAULTS.read(message.element("stream").orElseThrow());
        Document tree = XmlDocuments.DEFAULTS.read(message.element("stream").orElseThrow());

        assertThat(weather).isEqualTo(new Weather("Basel", 21.5));
        reader.nextTag();
        assertThat(reader.getAttributeValue(null, "place")).isEqualTo("Basel");
        assertThat(tree.getDocumentElement().getAttribute("place")).isEqualTo("Basel");
    }

    @Test
    void page_containsTheSample() throws IOException {
        Path root = Path.of("").toAbsolutePath();
        if (!Files.exists(root.resolve("docs"))) {
            root = root.getParent();
        }
        String page = withoutSpace(Files.readString(root.resolve("docs/xml-payloads.md")));
        String test = Files.readString(
                root.resolve("codec-xml/src/test/java/io/parley/codec/xml/payload/XmlPayloadsSampleTest.java"));
        Matcher sample =
                Pattern.compile("(?m)^ +// sample$(.+?)^$", Pattern.DOTALL).matcher(test);
        int samples = 0;
        while (sample.find()) {
            assertThat(page).contains(withoutSpace(sample.group(1)));
            samples++;
        }
        assertThat(samples).isEqualTo(3);
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s+", "");
    }
}

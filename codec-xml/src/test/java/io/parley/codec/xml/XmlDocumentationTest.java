package io.parley.codec.xml;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.WireFormatDocument;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Compares the codec with the example in {@code docs/wire-format.md}. */
final class XmlDocumentationTest {
    @Test
    void threeElements() throws IOException {
        Message message = Message.of(
                MessageElement.ofText("A", "hi").withNamespace("jxta"),
                MessageElement.of("B", new byte[] {1, 2, 3}).withNamespace("app"),
                MessageElement.ofXml("C", "<x/>\r").withType("text/xml"));
        String lines = WireFormatDocument.block("xml", "three-elements");
        assertThat(Documents.text(message)).isEqualTo(lines.replaceAll("\\R", ""));
        assertThat(Documents.decode(lines)).isEqualTo(message);
    }

    @Test
    void dtd_equalsTheDtdOfTheTests() throws IOException {
        String dtd = new String(
                XmlDocumentationTest.class.getResourceAsStream("message.dtd").readAllBytes());
        assertThat(WireFormatDocument.text().replaceAll("\\s+", " "))
                .contains(dtd.strip().replaceAll("\\s+", " "));
    }
}

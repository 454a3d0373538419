package io.parley.codec.xml;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds the codec to the example in {@code docs/wire-format.md}, and the document to what the codec does. */
final class XmlTextDocumentTest {
    @Test
    void threeElements() throws IOException {
        Message message = Message.of(
                MessageElement.ofText("A", "hi").withNamespace("jxta"),
                MessageElement.of("B", new byte[] {1, 2, 3}).withNamespace("app"),
                MessageElement.ofXml("C", "<x/>\r").withType("text/xml"));
        String lines = block("three-elements");
        assertThat(Documents.text(message)).isEqualTo(lines.replaceAll("\\R", ""));
        assertThat(Documents.decode(lines)).isEqualTo(message);
    }

    @Test
    void dtd_isTheOneThatTheTestsUse() throws IOException {
        String dtd = new String(
                XmlTextDocumentTest.class.getResourceAsStream("message.dtd").readAllBytes());
        assertThat(Files.readString(findDocument()).replaceAll("\\s+", " "))
                .contains(dtd.strip().replaceAll("\\s+", " "));
    }

    /** The block that begins with three backquotes, "xml" and the name. */
    private static String block(String name) throws IOException {
        Path document = findDocument();
        Matcher block = Pattern.compile("```xml " + name + "\\R(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(document));
        assertThat(block.find()).as("block %s in %s", name, document).isTrue();
        return block.group(1);
    }

    /** Tests run in the module's folder or in the project's, so the document is looked for upwards. */
    private static Path findDocument() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path document = folder.resolve("docs").resolve("wire-format.md");
            if (Files.exists(document)) {
                return document;
            }
        }
        throw new AssertionError("no docs/wire-format.md above " + Path.of("").toAbsolutePath());
    }
}

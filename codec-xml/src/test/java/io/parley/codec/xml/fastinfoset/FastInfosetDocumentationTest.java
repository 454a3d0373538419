package io.parley.codec.xml.fastinfoset;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.parley.codec.CodecSession;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds the codec to the vectors and bounds in {@code docs/wire-format.md}, and the document to what the codec does. */
final class FastInfosetDocumentationTest {
    /** A field: hex digits that are followed by one blank or end a line; what comes after two blanks is a remark. */
    private static final Pattern FIELDS = Pattern.compile("(?m)^ *((?:[0-9a-f]+ )*[0-9a-f]+)(?:  .*)?$");

    private static final Message MESSAGE = Message.of(
            MessageElement.ofText("A", "hi").withNamespace("app"),
            MessageElement.of("B", new byte[] {1, 2, 3}).withNamespace("app"));

    @Test
    void oneMessageThreeTimes() throws IOException {
        CodecSession encoder = Sessions.open();
        CodecSession decoder = Sessions.open();
        for (String vector : List.of("fast-infoset-first", "fast-infoset-second", "fast-infoset-third")) {
            String hex = vector(vector);
            assertThat(ByteBufUtil.hexDump(Sessions.encode(encoder, MESSAGE))).isEqualTo(hex);
            assertThat(Sessions.decode(decoder, ByteBufUtil.decodeHexDump(hex))).isEqualTo(MESSAGE);
        }
    }

    @Test
    void bounds() throws IOException {
        assertThat(document())
                .contains("prefixes, namespace names | 64 each |")
                .contains("| attribute values | 512 | 16,384 of UTF-8 |")
                .contains("| character chunks | 1,024 | 32,768 of UTF-8,")
                .contains("(comments and the like) | 1,024 each |");
        assertThat(FastInfosetFormat.MAX_NAMES).isEqualTo(64);
        assertThat(FastInfosetFormat.MAX_VALUES).isEqualTo(512);
        assertThat(FastInfosetFormat.MAX_VALUES_BYTES).isEqualTo(16_384);
        assertThat(FastInfosetFormat.MAX_CHUNKS).isEqualTo(1024);
        assertThat(FastInfosetFormat.MAX_CHUNKS_BYTES).isEqualTo(32_768);
        assertThat(FastInfosetFormat.MAX_IGNORED).isEqualTo(1024);
    }

    /** The hex digits of the block that begins with three backquotes, "hex" and the name. */
    private static String vector(String name) throws IOException {
        Matcher block = Pattern.compile("```hex " + name + "\\R(.*?)```", Pattern.DOTALL)
                .matcher(document());
        assertThat(block.find()).as("vector %s", name).isTrue();
        StringBuilder hex = new StringBuilder();
        Matcher fields = FIELDS.matcher(block.group(1));
        while (fields.find()) {
            hex.append(fields.group(1).replace(" ", ""));
        }
        return hex.toString();
    }

    /** Tests run in the module's folder or in the project's, so the document is looked for upwards. */
    private static String document() throws IOException {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path document = folder.resolve("docs").resolve("wire-format.md");
            if (Files.exists(document)) {
                return Files.readString(document);
            }
        }
        throw new AssertionError("no docs/wire-format.md above " + Path.of("").toAbsolutePath());
    }
}

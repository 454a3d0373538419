package io.parley.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds the codec to the vectors in {@code docs/wire-format.md}, and the document to what the codec does. */
final class WireFormatDocumentTest {
    /** A field: hex digits that are followed by one blank or end a line; what comes after two blanks is a remark. */
    private static final Pattern FIELDS = Pattern.compile("(?m)^ *((?:[0-9a-f]+ )*[0-9a-f]+)(?:  .*)?$");

    private final CodecSession session = new BinaryMessageCodec().newSession(MessageLimits.DEFAULTS);

    @Test
    void threeElements() throws IOException {
        String hex = vector("three-elements");
        assertThat(hex).isEqualTo(BinaryGoldenBytesTest.THREE_ELEMENTS_HEX);
        assertReadAndWritten(hex, BinaryGoldenBytesTest.THREE_ELEMENTS);
    }

    @Test
    void empty() throws IOException {
        assertReadAndWritten(vector("empty"), Message.EMPTY);
    }

    @Test
    void nonAscii() throws IOException {
        Message message = Message.of(MessageElement.of("€", new byte[0]).withNamespace("né"));
        assertReadAndWritten(vector("non-ascii"), message);
    }

    @Test
    void version1_isRead() throws IOException {
        Message message = Message.of(MessageElement.ofText("A", "hi").withNamespace("jxta"));
        assertThat(decode(vector("version-1"))).isEqualTo(message);
    }

    private void assertReadAndWritten(String hex, Message message) {
        assertThat(decode(hex)).isEqualTo(message);
        ByteBuf encoded = session.encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            assertThat(ByteBufUtil.hexDump(encoded)).isEqualTo(hex);
        } finally {
            encoded.release();
        }
    }

    private Message decode(String hex) {
        return session.decode(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex)));
    }

    /** The hex digits of the block that begins with three backquotes, "hex" and the name. */
    private static String vector(String name) throws IOException {
        Path document = findDocument();
        Matcher block = Pattern.compile("```hex " + name + "\\R(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(document));
        assertThat(block.find()).as("vector %s in %s", name, document).isTrue();
        StringBuilder hex = new StringBuilder();
        Matcher fields = FIELDS.matcher(block.group(1));
        while (fields.find()) {
            hex.append(fields.group(1).replace(" ", ""));
        }
        return hex.toString();
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

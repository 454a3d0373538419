package io.parley.codec.xml.fastinfoset;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.parley.codec.CodecSession;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.WireFormatDocument;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares the codec with the vectors and the bounds in {@code docs/wire-format.md}. */
final class FastInfosetDocumentationTest {
    private static final Message MESSAGE = Message.of(
            MessageElement.ofText("A", "hi").withNamespace("app"),
            MessageElement.of("B", new byte[] {1, 2, 3}).withNamespace("app"));

    @Test
    void oneMessageThreeTimes() throws IOException {
        CodecSession encoder = Sessions.open();
        CodecSession decoder = Sessions.open();
        for (String vector : List.of("fast-infoset-first", "fast-infoset-second", "fast-infoset-third")) {
            String hex = WireFormatDocument.vector(vector);
            assertThat(ByteBufUtil.hexDump(Sessions.encode(encoder, MESSAGE))).isEqualTo(hex);
            assertThat(Sessions.decode(decoder, ByteBufUtil.decodeHexDump(hex))).isEqualTo(MESSAGE);
        }
    }

    @Test
    void bounds() throws IOException {
        assertThat(WireFormatDocument.text())
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
}

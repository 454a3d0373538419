package io.parley.codec.compress.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.message.Payload;
import io.parley.testkit.WireFormatDocument;
import java.io.IOException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Compares the scheme with the example and the limits in {@code docs/wire-format.md}. */
final class TreechopDocumentationTest {

    @Test
    void nodes_ofTheExample() throws IOException {
        byte[] document = document();
        TreechopEncoder encoder = new TreechopEncoder(document.length);
        assertThat(XmlReader.read(document, encoder)).isTrue();
        assertThat(HexFormat.of().formatHex(encoder.nodes())).isEqualTo(WireFormatDocument.vector("treechop-nodes"));
    }

    @Test
    void element_withTheExample() throws IOException {
        byte[] element = HexFormat.of().parseHex(WireFormatDocument.vector("treechop-element"));
        assertThat(CompressedContent.treechop()
                        .expand(Payload.of(element), 1000)
                        .toByteArray())
                .isEqualTo(document());
    }

    private static byte[] document() throws IOException {
        return WireFormatDocument.block("xml", "treechop-document").strip().getBytes(UTF_8);
    }

    @Test
    void limits() throws IOException {
        assertThat(WireFormatDocument.text())
                .contains(
                        "A document has at most 2^24 bytes, 256 elements within each other, and 64 + *length* / 16 paths")
                .contains(
                        "but not more than 2^16. Its nodes have at most 2 × *length* + 64 bytes, and a codeword at most 252 bits.")
                .contains(
                        "a name of more than 1000 bytes, or more than 256 attributes of the usual form in an element");
        assertThat(Treechop.MAX_DOCUMENT_BYTES).isEqualTo(1 << 24);
        assertThat(XmlReader.MAX_DEPTH).isEqualTo(256);
        assertThat(Treechop.maxPaths(1600)).isEqualTo(64 + 100);
        assertThat(Treechop.MAX_PATHS).isEqualTo(1 << 16);
        assertThat(Treechop.maxNodeBytes(100)).isEqualTo(264);
        assertThat(TreechopPath.MAX_BITS).isEqualTo(252);
        assertThat(XmlReader.MAX_NAME_BYTES).isEqualTo(1000);
        assertThat(XmlReader.MAX_ATTRIBUTES).isEqualTo(256);
    }
}

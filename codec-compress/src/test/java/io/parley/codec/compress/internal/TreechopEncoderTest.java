package io.parley.codec.compress.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The documents that have nodes: those up to a limit are restored from them, and those above it have none. */
final class TreechopEncoderTest {

    /** The codeword of an only child is 2 bits longer than that of its parent, and 252 is the maximum. */
    @Test
    void elementsWithinEachOther_upToTheLongestCodeword() {
        assertThat(hasNodes(nested(126))).isTrue();
        assertThat(hasNodes(nested(127))).isFalse();
    }

    private static String nested(int depth) {
        return "<a>".repeat(depth) + " ".repeat(1000) + "</a>".repeat(depth);
    }

    /** The codeword of each second child is 1 bit longer than that of the one before. */
    @Test
    void elementsInOne_upToTheLongestCodeword() {
        assertThat(hasNodes(children(498))).isTrue();
        assertThat(hasNodes(children(499))).isFalse();
    }

    private static String children(int count) {
        StringBuilder document = new StringBuilder("<a>" + " ".repeat(20 * count));
        IntStream.range(0, count).forEach(i -> document.append("<b").append(i).append("/>"));
        return document + "</a>";
    }

    @ParameterizedTest
    @ValueSource(ints = {700, 1600, 3199, 3200})
    void paths_upToTheMaximumForTheSize(int size) {
        int max = 64 + size / 16;
        assertThat(hasNodes(ofPaths(max, size))).isTrue();
        assertThat(hasNodes(ofPaths(max + 1, size))).isFalse();
    }

    @Test
    void paths_upToTheMaximumForAnySize() {
        int size = 1 << 21;
        assertThat(hasNodes(ofPaths(65_536, size))).isTrue();
        assertThat(hasNodes(ofPaths(65_537, size))).isFalse();
    }

    /** Returns a document of a size with that number of different paths, in elements with up to 5 children. */
    private static String ofPaths(int paths, int size) {
        StringBuilder document = new StringBuilder();
        append(document, 'a', new int[] {paths}, 7);
        assertThat(document.length()).isLessThanOrEqualTo(size);
        return document + " ".repeat(size - document.length());
    }

    private static void append(StringBuilder document, char name, int[] left, int levels) {
        left[0]--;
        if (levels == 0 || left[0] == 0) {
            document.append('<').append(name).append("/>");
            return;
        }
        document.append('<').append(name).append('>');
        for (int child = 0; child < 5 && left[0] > 0; child++) {
            append(document, (char) ('a' + child), left, levels - 1);
        }
        document.append("</").append(name).append('>');
    }

    /** The nodes of such a document would be several times larger: each codeword has 252 bits. */
    @Test
    void nodesThatAreMuchLargerThanTheDocument() {
        String head = "<a>".repeat(125);
        String tail = "</a>".repeat(125) + " ".repeat(2000);
        assertThat(hasNodes(head + "<a/>".repeat(20) + tail)).isTrue();
        assertThat(hasNodes(head + "<a/>".repeat(1000) + tail)).isFalse();
    }

    /** The room ends at any byte of a node. */
    @Test
    void nodesThatAreSlightlyLargerThanTheirRoom() {
        String head = "<a>".repeat(125) + "<a/>".repeat(100) + "</a>".repeat(125);
        int accepted = 0;
        for (int blanks = 0; blanks < 4000; blanks++) {
            accepted += hasNodes(head + " ".repeat(blanks)) ? 1 : 0;
        }
        assertThat(accepted).isBetween(1, 3999);
    }

    private static boolean hasNodes(String document) {
        byte[] bytes = document.getBytes(UTF_8);
        GrowingArray compressed = new GrowingArray(0, 2 * bytes.length + 1000, 0);
        if (!new Treechop().compress(bytes, compressed)) {
            return false;
        }
        GrowingArray restored = new GrowingArray(0, bytes.length, 0);
        new Treechop().expand(ByteBuffer.wrap(compressed.toArray(0)), restored);
        assertThat(new String(restored.toArray(0), UTF_8)).isEqualTo(document);
        return true;
    }
}

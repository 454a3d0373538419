package io.parley.codec.compress;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import io.parley.testkit.ProcessorTime;
import java.util.function.IntFunction;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * The processor time of decoding is linear in the size of the input and of the stated size. The nodes are correct, but the checksum is
 * that of another document, so each input is read to its end and then rejected.
 */
final class TreechopProcessorTimeTest {

    private static final TreechopEncodingScheme TREECHOP = new TreechopEncodingScheme();
    private static final String ROOT = "00";

    private static void assertLinear(String subject, int n, IntFunction<byte[]> contents) {
        ProcessorTime.assertLinear(subject, n, size -> {
            MessageElement element = MessageElement.of("content", contents.apply(size));
            Assertions.assertThat(decode(element)).hasMessageContaining("the checksum or the size is that of another");
            return () -> decode(element);
        });
    }

    private static PeerFaultException decode(MessageElement element) {
        return catchThrowableOfType(PeerFaultException.class, () -> TREECHOP.decode(element, 1 << 24));
    }

    private static byte[] content(NodeBytes nodes, int documentBytes) {
        return nodes.content("x".repeat(documentBytes));
    }

    /** The document is as large as it must be for that number of paths. */
    @Test
    void differentPaths() {
        assertLinear("paths", 1000, n -> {
            NodeBytes nodes = new NodeBytes().raw("");
            addTree(nodes, ROOT, new int[] {n}, 12);
            return content(nodes.raw(""), 16 * n);
        });
    }

    private static void addTree(NodeBytes nodes, String code, int[] left, int levels) {
        left[0]--;
        nodes.newPath(code, NodeBytes.ELEMENT, "b");
        for (int child = 0; child < 3 && levels > 0 && left[0] > 0; child++) {
            addTree(nodes, code + NodeBytes.golomb(child), left, levels - 1);
        }
        nodes.put(NodeBytes.END);
    }

    /** The number of the last child is as many ones. */
    @Test
    void manyPathsOfOneParent() {
        int paths = 490;
        assertLinear("paths of one parent", 1000, n -> {
            NodeBytes nodes = new NodeBytes().raw("").newPath(ROOT, NodeBytes.ELEMENT, "a");
            for (int i = 0; i < paths; i++) {
                nodes.newPath(ROOT + NodeBytes.golomb(i), NodeBytes.COMMENT, "").text("");
            }
            for (int i = 0; i < n; i++) {
                nodes.code(ROOT + NodeBytes.golomb(paths - 1)).text("");
            }
            return content(nodes.put(NodeBytes.END).raw(""), 20 * (paths + n));
        });
    }

    @Test
    void longCodewords() {
        assertLinear("long codewords", 1000, n -> {
            NodeBytes nodes = new NodeBytes().raw("");
            for (int depth = 1; depth <= 125; depth++) {
                nodes.newPath("00".repeat(depth), NodeBytes.ELEMENT, "a");
            }
            nodes.newPath("00".repeat(126), NodeBytes.COMMENT, "").text("");
            for (int i = 0; i < n; i++) {
                nodes.code("00".repeat(126)).text("");
            }
            for (int depth = 1; depth <= 125; depth++) {
                nodes.put(NodeBytes.END);
            }
            return content(nodes.raw(""), 2000 + 20 * n);
        });
    }

    @Test
    void longLabels() {
        assertLinear("long labels", 100, n -> {
            NodeBytes nodes = new NodeBytes().raw("").newPath(ROOT, NodeBytes.ELEMENT, "a");
            nodes.newPath("0000", NodeBytes.ELEMENT, "b".repeat(1000)).put(NodeBytes.END);
            for (int i = 0; i < n; i++) {
                nodes.code("0000").put(NodeBytes.END);
            }
            return content(nodes.put(NodeBytes.END).raw(""), 2100 * (n + 1));
        });
    }

    /** Each node is of another kind, and takes few bytes. */
    @Test
    void smallNodes() {
        assertLinear("small nodes", 1000, n -> {
            NodeBytes nodes = new NodeBytes().raw("").newPath(ROOT, NodeBytes.ELEMENT, "a");
            nodes.newPath("0000", NodeBytes.ELEMENT, "")
                    .newPath("000000", NodeBytes.ATTRIBUTE, "")
                    .text("")
                    .put(NodeBytes.END);
            for (int i = 0; i < n; i++) {
                nodes.code("0000")
                        .code("000000")
                        .text("")
                        .put(NodeBytes.REST_OF_TAG)
                        .raw("")
                        .text("")
                        .put(NodeBytes.UNUSUAL_END)
                        .raw("");
            }
            return content(nodes.put(NodeBytes.END).raw(""), 100 + 20 * n);
        });
    }
}

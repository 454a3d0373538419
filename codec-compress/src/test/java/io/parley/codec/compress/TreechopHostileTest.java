package io.parley.codec.compress;

import static io.parley.codec.compress.NodeBytes.ATTRIBUTE;
import static io.parley.codec.compress.NodeBytes.COMMENT;
import static io.parley.codec.compress.NodeBytes.ELEMENT;
import static io.parley.codec.compress.NodeBytes.EMPTY_ELEMENT;
import static io.parley.codec.compress.NodeBytes.END;
import static io.parley.codec.compress.NodeBytes.REST_OF_TAG;
import static io.parley.codec.compress.NodeBytes.TEXT;
import static io.parley.codec.compress.NodeBytes.UNUSUAL_END;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Elements that no encoder of the scheme treechop makes: each is the peer's fault, and takes little memory. */
final class TreechopHostileTest {

    private static final String ROOT = "00";
    private static final String FIRST = "0000";
    private static final String SECOND = "0001";
    private static final int MAX_BYTES = 1 << 20;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final TreechopEncodingScheme treechop = new TreechopEncodingScheme();

    private static NodeBytes root() {
        return new NodeBytes().raw("").newPath(ROOT, ELEMENT, "a");
    }

    // -- the container

    @Test
    void headerThatIsTruncated() {
        byte[] content = root().put(END).raw("").content("<a></a>");
        assertThat(decode(content)).isEqualTo("<a></a>");
        for (int length = 0; length < 6; length++) {
            assertMalformed(Arrays.copyOf(content, length), "truncated after " + length + " bytes");
        }
    }

    @Test
    void dataThatAreTruncated() {
        byte[] content = root().put(END).raw("").content("<a></a>");
        for (int length = 6; length < content.length; length++) {
            assertMalformed(Arrays.copyOf(content, length), "the compressed data are truncated");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 255})
    void formThatIsUnknown(int form) {
        assertMalformed(NodeBytes.content(form, 1, 0, NodeBytes.deflated(new byte[1])), "unknown form: " + form);
    }

    @Test
    void lengthOfSixBytes() {
        assertMalformed(NodeBytes.content(0, 1L << 35, 0, new byte[0]), "a length of more than 5 bytes");
    }

    @ParameterizedTest
    @ValueSource(longs = {MAX_BYTES + 1L, Integer.MAX_VALUE, 1L << 31, (1L << 32) + 1, (1L << 35) - 1})
    void lengthBeyondTheMaximum(long length) {
        for (int form : new int[] {0, 1}) {
            assertLimit(
                    NodeBytes.content(form, length, 0, new byte[2]),
                    MAX_BYTES,
                    "content of " + length + " bytes (expected: <= 1048576)");
        }
    }

    /** The maximum of a caller may be larger than an array of this virtual machine. */
    @ParameterizedTest
    @ValueSource(longs = {Integer.MAX_VALUE - 7, Integer.MAX_VALUE, 1L << 31, (1L << 32) + 1, (1L << 35) - 1})
    void lengthBeyondAnArray(long length) {
        assertLimit(
                NodeBytes.content(0, length, 0, new byte[2]),
                Long.MAX_VALUE,
                "content of " + length + " bytes (expected: <= 2147483639)");
    }

    @Test
    void largestLength_allocatesLittle() {
        byte[] content = NodeBytes.content(0, Integer.MAX_VALUE - 8, 0, NodeBytes.deflated(new byte[1000]));
        assertThat(allocatedBy(() -> assertMalformed(content, Long.MAX_VALUE, "that of another content")))
                .isLessThan(1_000_000);
    }

    @Test
    void xmlBeyondTheMaximum() {
        long max = 1 << 24;
        assertLimit(
                NodeBytes.content(1, max + 1, 0, new byte[2]),
                Long.MAX_VALUE,
                "XML of 16777217 bytes (expected: <= 16777216)");
        assertMalformed(NodeBytes.content(1, max, 0, new byte[2]), Long.MAX_VALUE, "truncated");
    }

    @Test
    void contentThatIsLargerThanStated() {
        byte[] data = NodeBytes.deflated(new byte[1000]);
        assertMalformed(NodeBytes.content(0, 999, 0, data), "the content is larger than stated");
        assertMalformed(NodeBytes.content(0, 0, 0, data), "the content is larger than stated");
    }

    @Test
    void contentThatIsSmallerThanStated() {
        byte[] content = new byte[1000];
        assertMalformed(
                NodeBytes.content(0, 1001, NodeBytes.checksum(content), NodeBytes.deflated(content)),
                "the checksum or the size is that of another content");
    }

    @Test
    void checksumOfAnotherContent() {
        byte[] content = new byte[1000];
        assertMalformed(
                NodeBytes.content(0, 1000, ~NodeBytes.checksum(content), NodeBytes.deflated(content)),
                "the checksum or the size is that of another content");
    }

    @Test
    void bytesBehindTheData() {
        byte[] nodes = root().put(END).raw("").content("<a></a>");
        assertMalformed(Arrays.copyOf(nodes, nodes.length + 3), "3 bytes behind the compressed data");
        byte[] deflated = NodeBytes.content(0, 9, 0, NodeBytes.deflated(new byte[9]));
        assertMalformed(Arrays.copyOf(deflated, deflated.length + 1), "1 bytes behind the compressed data");
    }

    @Test
    void dataThatAreNotOfTheFormat() {
        byte[] blockOfAnUnknownType = {7, 7, 7};
        assertMalformed(
                NodeBytes.content(0, 9, 0, blockOfAnUnknownType), "invalid compressed data: invalid block type");
        assertMalformed(
                NodeBytes.content(1, 9, 0, blockOfAnUnknownType), "invalid compressed data: invalid block type");
    }

    // -- the nodes

    static Stream<Arguments> malformedNodes() {
        String notAChild = "a codeword is not that of a child of the present path";
        String truncated = "the nodes are truncated";
        return Stream.of(
                Arguments.of("nothing", new NodeBytes(), truncated),
                Arguments.of("prologue without end", new NodeBytes().put('x'), truncated),
                Arguments.of("no root", new NodeBytes().raw(""), truncated),
                Arguments.of(
                        "codeword without its bytes", new NodeBytes().raw("").put(2), truncated),
                Arguments.of("codeword of which a byte is missing", root().put(12, 0), truncated),
                Arguments.of("path without kind", new NodeBytes().raw("").code(ROOT), truncated),
                Arguments.of(
                        "path without label", new NodeBytes().raw("").code(ROOT).put(ELEMENT), truncated),
                Arguments.of(
                        "label without end", new NodeBytes().raw("").code(ROOT).put(ELEMENT, 'a'), truncated),
                Arguments.of("element without end", root(), truncated),
                Arguments.of("text without end", root().put(TEXT, 'a'), truncated),
                Arguments.of("no epilogue", root().put(END), truncated),
                Arguments.of("attribute without text", root().newPath(FIRST, ATTRIBUTE, "b"), truncated),
                Arguments.of("bytes behind", root().put(END).raw("").put(9, 9), "2 bytes behind the nodes"),
                Arguments.of("second root", root().put(END).raw("").code(ROOT), "2 bytes behind the nodes"),
                Arguments.of("text as root", new NodeBytes().raw("").text("a"), notAChild),
                Arguments.of("end as root", new NodeBytes().raw("").put(END).put(new int[40]), notAChild),
                Arguments.of(
                        "rest of a tag as root",
                        new NodeBytes().raw("").put(253).put(new int[40]),
                        notAChild),
                Arguments.of("second path as root", new NodeBytes().raw("").newPath("01", ELEMENT, "a"), notAChild),
                Arguments.of(
                        "comment as root",
                        new NodeBytes().raw("").newPath(ROOT, COMMENT, "").text("b"),
                        "a document begins without an element"),
                Arguments.of(
                        "attribute as root",
                        new NodeBytes().raw("").newPath(ROOT, ATTRIBUTE, "b").text("c"),
                        "a part of a start tag is outside of one"),
                Arguments.of("codeword of 1 bit", root().code("0"), notAChild),
                Arguments.of("codeword of the parent", root().code(ROOT), notAChild),
                Arguments.of("codeword below another path", root().code("0100"), notAChild),
                Arguments.of("short codeword in a deep element", deep().code(ROOT), notAChild),
                Arguments.of(
                        "first codeword below another deep element",
                        deep().newPath("01" + ROOT.repeat(8), ELEMENT, "b"),
                        notAChild),
                Arguments.of("second child before the first", root().newPath(SECOND, ELEMENT, "b"), notAChild),
                Arguments.of("grandchild", root().code("000000"), notAChild),
                Arguments.of("codeword without its last bit", root().code("000"), notAChild),
                Arguments.of("codeword of ones", root().code("0011"), notAChild),
                Arguments.of("codeword with padding", root().put(4, 0x08), notAChild),
                Arguments.of("codeword with the last bit as padding", root().put(4, 0x01), notAChild),
                Arguments.of("longest codeword", root().code("00" + NodeBytes.golomb(496)), notAChild),
                Arguments.of("unknown kind", root().newPath(FIRST, 7, "b"), "unknown kind of node: 7"),
                Arguments.of("largest kind", root().newPath(FIRST, 255, "b"), "unknown kind of node: 255"),
                Arguments.of(
                        "end instead of the value of an attribute",
                        root().newPath(FIRST, ATTRIBUTE, "b").put(END),
                        "an attribute or a section has no text"),
                Arguments.of(
                        "codeword instead of the content of a comment",
                        root().newPath(FIRST, COMMENT, "").code(FIRST),
                        "an attribute or a section has no text"),
                Arguments.of(
                        "attribute behind a text",
                        root().text("b").newPath(FIRST, ATTRIBUTE, "c").text("d"),
                        "a part of a start tag is outside of one"),
                Arguments.of(
                        "rest of a tag behind a text",
                        root().text("b").put(REST_OF_TAG).raw(" >"),
                        "a part of a start tag is outside of one"),
                Arguments.of(
                        "rest of a tag twice",
                        root().put(REST_OF_TAG).raw(" >").put(REST_OF_TAG).raw(" >"),
                        "a part of a start tag is outside of one"),
                Arguments.of("text in an empty element", emptyRoot().text("b"), "an empty element has content"),
                Arguments.of(
                        "element in an empty element",
                        emptyRoot().newPath(FIRST, ELEMENT, "b"),
                        "an empty element has content"),
                Arguments.of(
                        "comment in an empty element",
                        emptyRoot().newPath(FIRST, COMMENT, "").text("b"),
                        "an empty element has content"),
                Arguments.of(
                        "end tag of an empty element",
                        emptyRoot().put(UNUSUAL_END).raw("</a >"),
                        "an empty element has content"));
    }

    private static NodeBytes deep() {
        NodeBytes nodes = new NodeBytes().raw("");
        for (int depth = 1; depth <= 8; depth++) {
            nodes.newPath(ROOT.repeat(depth), ELEMENT, "a");
        }
        return nodes;
    }

    private static NodeBytes emptyRoot() {
        return new NodeBytes().raw("").newPath(ROOT, EMPTY_ELEMENT, "a");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("malformedNodes")
    void nodesThatAreMalformed(String name, NodeBytes nodes, String fault) {
        assertMalformed(nodes.content("x".repeat(200)), fault);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 4, 5, 6, 7})
    void documentThatIsLargerThanStated(int stated) {
        NodeBytes nodes =
                root().newPath(FIRST, ATTRIBUTE, "b").text("c").put(END).raw("");
        assertMalformed(nodes.content("x".repeat(stated)), "the document is larger than stated");
    }

    @Test
    void moreNodesThanTheDocumentCanHave() {
        NodeBytes nodes = new NodeBytes().raw("x".repeat(2 * 100 + 64));
        assertMalformed(nodes.content("x".repeat(100)), "more than 264 bytes of nodes");
        NodeBytes allowed = new NodeBytes().raw("x".repeat(2 * 100 + 63));
        assertMalformed(allowed.content("x".repeat(100)), "the document is larger than stated");
    }

    @Test
    void morePathsThanTheDocumentCanHave() {
        int maxPaths = 64 + 4000 / 16;
        assertMalformed(paths(maxPaths + 1).content("x".repeat(4000)), "more than 314 paths");
        assertMalformed(paths(maxPaths).content("x".repeat(4000)), "the checksum or the size");
    }

    /** Nodes of an element with many attributes, each of which is another path. The element is one of the paths. */
    private static NodeBytes paths(int count) {
        NodeBytes nodes = root();
        for (int i = 0; i < count - 1; i++) {
            nodes.newPath(ROOT + NodeBytes.golomb(i), ATTRIBUTE, "").text("");
        }
        return nodes.put(END).raw("");
    }

    @Test
    void documentOfManyPaths_whoseSizeAllowsMore() {
        String document = "x".repeat(1 << 20);
        assertMalformed(binaryTree(1 << 16).content(document), 1 << 24, "the checksum or the size");
        assertMalformed(binaryTree((1 << 16) + 1).content(document), 1 << 24, "more than 65536 paths");
        assertMalformed(binaryTree((1 << 16) + 1).content(document + document), 1 << 24, "more than 65536 paths");
    }

    /** Memory for objects is a small multiple of the size of the document that they belong to. */
    @Test
    void documentOfManyPaths_allocatesLittle() {
        int size = (1 << 20) - 64 * 16;
        byte[] content = binaryTree(1 << 16).content("x".repeat(size));
        assertThat(allocatedBy(() -> assertMalformed(content, size, "that of another content")))
                .as("bytes for a document of %d", size)
                .isLessThan(24L * size);
    }

    /** The document is 64 KiB; the nodes define as many paths as fit into it. */
    @Test
    void smallDocumentOfManyPaths_allocatesLittle() {
        int size = 1 << 16;
        byte[] content = binaryTree(size / 5).content("x".repeat(size));
        assertThat(allocatedBy(() -> assertMalformed(content, size, "more than 4160 paths")))
                .as("bytes for a document of %d", size)
                .isLessThan(24L * size);
    }

    /** Nodes of a tree in which each element has two children, so that many paths have short codewords. */
    private static NodeBytes binaryTree(int paths) {
        NodeBytes nodes = new NodeBytes().raw("");
        addTree(nodes, ROOT, new int[] {paths}, 16);
        return nodes.raw("");
    }

    private static void addTree(NodeBytes nodes, String code, int[] left, int levels) {
        left[0]--;
        nodes.newPath(code, ELEMENT, "");
        for (int child = 0; child < 3 && levels > 0 && left[0] > 0; child++) {
            addTree(nodes, code + NodeBytes.golomb(child), left, levels - 1);
        }
        nodes.put(END);
    }

    /** A few bytes state a large document. */
    @Test
    void bombOfNodes_endsAtTheStatedSize() {
        NodeBytes nodes = root();
        nodes.put(new int[2 * MAX_BYTES]);
        byte[] content = NodeBytes.content(1, MAX_BYTES, 0, NodeBytes.deflated(nodes.toArray()));
        assertThat(content).hasSizeLessThan(4000);
        assertThat(allocatedBy(() -> assertMalformed(content, "the nodes are truncated")))
                .isLessThan(16L * MAX_BYTES);
        assertThat(allocatedBy(() -> assertLimit(content, 5000, "(expected: <= 5000)")))
                .isLessThan(100_000);
    }

    /** A label of 1000 bytes is repeated by 4 bytes. */
    @Test
    void bombOfLabels_endsAtTheStatedSize() {
        String label = "b".repeat(1000);
        NodeBytes nodes = root().newPath(FIRST, EMPTY_ELEMENT, label).put(END);
        for (int i = 0; i < 10_000; i++) {
            nodes.code(FIRST).put(END);
        }
        byte[] content = nodes.content("x".repeat(MAX_BYTES));
        assertThat(content).hasSizeLessThan(2000);
        assertThat(allocatedBy(() -> assertMalformed(content, "the document is larger than stated")))
                .isLessThan(16L * MAX_BYTES);
    }

    // -- assertions

    private static long allocatedBy(Runnable work) {
        work.run(); // loads the classes
        long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        work.run();
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
    }

    private void assertMalformed(byte[] content, String fault) {
        assertMalformed(content, MAX_BYTES, fault);
    }

    private void assertMalformed(byte[] content, long maxBytes, String fault) {
        assertFault(content, maxBytes, ErrorCode.MALFORMED_MESSAGE, fault);
    }

    private void assertLimit(byte[] content, long maxBytes, String fault) {
        assertFault(content, maxBytes, ErrorCode.LIMIT_EXCEEDED, fault);
    }

    private void assertFault(byte[] content, long maxBytes, ErrorCode code, String fault) {
        assertThatThrownBy(() -> treechop.decode(element(content), maxBytes))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(fault);
    }

    private String decode(byte[] content) {
        return new String(treechop.decode(element(content), MAX_BYTES).toByteArray(), UTF_8);
    }

    private static MessageElement element(byte[] content) {
        return MessageElement.of("", "document", "application/xml", Payload.of(content));
    }
}

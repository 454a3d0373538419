package io.parley.codec.xml.fastinfoset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.Message;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.ByteMutator;
import io.parley.testkit.codec.MessageGenerator;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests malformed and malicious messages. In the cases, R, NAME, TYPE and BASE64 represent parts of a valid message.
 */
final class FastInfosetHostileTest {
    private static final String R = "7c064d657373616765 780676657273696f6e 4030 f0";
    private static final String NAME = "7c06456c656d656e74 78036e616d65 006e";
    private static final String TYPE = "78086d696d655f74797065 08 01 746578742f706c61696e";
    private static final String BASE64 = "7807656e636f64696e67 05626173653634";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        00 R ff                                        | byte 0: document: no header
        e0000002 00 R ff                               | byte 0: document: no header
        3c3f786d6c20 e0000001 00 R ff                  | document: unknown XML declaration
        e0000001                                       | byte 4: document properties: missing
        e0000001 80 R ff                               | document properties: 80 (expected: <= 7f
        e0000001 40 8fffff                             | additional data: 1048704 (expected: <= remaining bytes 0
        e0000001 40 9fffff                             | additional data: octet 9f
        e0000001 20 2000                               | initial vocabulary: 2000
        e0000001 20 1000 00 61                         | external vocabulary: not supported
        e0000001 20 0800 00 01 6162                    | table of restricted alphabets: not supported
        e0000001 20 0400 00 01 6162                    | table of encoding algorithms: not supported
        e0000001 20 0080 8fffff                        | local names: 1048704 (expected: <= remaining bytes
        e0000001 20 0002 00 00 00                      | local names: index 0 (expected: < 0)
        e0000001 20 0001 00 02 00                      | attribute names: octet 02
        e0000001 20 0010 00 20 0061                    | restricted alphabet in attribute value: not supported
        e0000001 10 f0 R ff                            | notation: not supported
        e0000001 08 f0 R ff                            | unparsed entity: not supported
        e0000001 02 02 R ff                            | standalone: neither 00 nor 01
        e0000001 00 c4 e1 0061 ff f0 R ff              | document type declaration with content: not supported
        e0000001 00 c6 0061 f0 R ff                    | document type declaration: not supported
        e0000001 00 f0                                 | octet f0 (expected: root element)
        e0000001 00 R                                  | element: missing (expected: more bytes)
        e0000001 00 R f0                               | end of the document: missing
        e0000001 00 R ff 00                            | end of the document: 1 bytes follow
        e0000001 00 R f1                               | octet f1 (expected: element)
        e0000001 00 R 807800                           | characters between elements
        e0000001 00 R 8c047800                         | characters between elements
        e0000001 00 R c80061                           | entity reference: not supported
        e0000001 00 40 ff                              | element names: index 0 (expected: < 0)
        e0000001 00 3c0061 ff                          | element name: unknown name (expected: Message)
        e0000001 00 3c06456c656d656e74 ff              | element name: Element (expected: Message)
        e0000001 00 3c064d657373616765 f0f0            | version: none (expected: 0)
        e0000001 00 7c064d657373616765 780676657273696f6e 4031 f0 ff | version: '1' (expected: 0)
        e0000001 00 7c064d657373616765 780676657273696f6e 4030 004031 f0 ff | attribute version: duplicate
        e0000001 00 7c064d657373616765 780676657273696f6e 80 | attribute value: index 0 (expected: < 0)
        e0000001 00 7c064d657373616765 780676657273696f6e 2000 | restricted alphabet in attribute value: not supported
        e0000001 00 7c064d657373616765 780676657273696f6e 3000 | encoding algorithm in attribute value: not supported
        e0000001 00 7c064d657373616765 780676657273696f6e 00c0 | attribute value: not UTF-8
        e0000001 00 7c064d657373616765 780676657273696f6e 1000 | attribute value: not UTF-16
        e0000001 00 7c064d657373616765 780676657273696f6e 0cffffffff | attribute value: 4294967560 bytes (expected: <= remaining bytes 0
        e0000001 00 7c064d657373616765 780676657273696f6e 0f | attribute value: octet 0f
        e0000001 00 7c064d657373616765 7a | name: has a prefix
        e0000001 00 7c064d657373616765 7981 | namespace names: index 1 (expected: < 1)
        e0000001 00 7c064d657373616765 7c | attribute name: octet 7c
        e0000001 00 7c6000000000 | local name: 321 bytes (expected: <= remaining bytes 0
        e0000001 00 7c61 | local name: octet 61
        e0000001 00 38c0 | namespace attribute: octet c0
        e0000001 00 R 3c06456c656d656e74 f0 ff         | attribute name: missing
        e0000001 00 R NAME TYPE f0 01 ff               | octet 01 (expected: characters or the end
        e0000001 00 R NAME TYPE f0 a0 ff               | character chunk: index 0 (expected: < 0)
        e0000001 00 R NAME TYPE f0 be                  | characters: octet be
        e0000001 00 R NAME TYPE f0 83ffffffff          | characters: 4294967554 bytes (expected: <= remaining bytes 0
        e0000001 00 R NAME TYPE f0 80c0 ff             | characters: not UTF-8
        e0000001 00 R NAME TYPE f0 8001 ff             | not allowed in XML 1.0
        e0000001 00 R NAME TYPE f0 8461 ff             | characters: not UTF-16
        e0000001 00 R NAME TYPE f0 880061 ff           | restricted alphabet in characters: not supported
        e0000001 00 R NAME TYPE f0 8c0061 ff           | encoding algorithm 1: not supported
        e0000001 00 R NAME TYPE f0 8c8061 ff           | encoding algorithm 33: not supported
        e0000001 00 R NAME TYPE BASE64 f0 8061 ff      | base64 ends in an incomplete group
        e0000001 00 R NAME TYPE BASE64 f0 8c0461 8c0461 ff | base64 continues after the padding
        e0000001 00 R NAME 78086d696d655f74797065 0061 f0 ff | attribute mime_type: type: 'a' (expected: a MIME type
        """)
    void fault_isNamedWithItsOffset(String hex, String expected) {
        byte[] bytes = bytes(hex);
        assertThatThrownBy(() -> Sessions.decode(Sessions.open(), bytes))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                .hasMessageContaining("Fast Infoset message, at byte ")
                .hasMessageContaining(expected);
    }

    private static byte[] bytes(String hex) {
        return ByteBufUtil.decodeHexDump(hex.replace("BASE64", BASE64)
                .replace("NAME", NAME)
                .replace("TYPE", TYPE)
                .replace("R", R)
                .replace(" ", ""));
    }

    @Test
    void propertiesInAContinuation_areMalformed() {
        CodecSession session = Sessions.open();
        Sessions.decode(session, bytes("e0000001 00 R ff"));
        assertThatThrownBy(() -> Sessions.decode(session, bytes("20 0080 00 00 61 40 00 80 f0 ff")))
                .hasMessageContaining("document properties: 20 (expected: 00, or a document");
    }

    // -- repetitions

    @Test
    void elementsThatRepeatAChunk_areCountedEachTime() {
        MessageLimits limits =
                MessageLimits.DEFAULTS.toBuilder().maxMessageBytes(5000).build();
        // 200 bytes, then 30 elements of eight octets that repeat them.
        String bomb = "e0000001 00 R NAME TYPE f0 92c5" + "20".repeat(200) + "f0"
                + ("41 01 006e 02 08 01 746578742f706c61696e f0 a0 f0").repeat(30) + "ff";
        assertThat(bytes(bomb).length).isLessThan(5000);
        assertThatThrownBy(() -> Sessions.decode(Sessions.open(limits), bytes(bomb)))
                .hasMessageContaining("contents with repetitions: 5200 (expected: <= maxMessageBytes 5000")
                .isInstanceOf(PeerFaultException.class);
    }

    /** Skipped white space counts toward no other limit, but takes time to process. */
    @ParameterizedTest
    @ValueSource(strings = {"", "NAME TYPE BASE64 f0"})
    void repeatedWhiteSpace_isLimitedByTheMessageLength(String prefix) {
        String blanks = "93 00007bfd" + "20".repeat(32_000);
        byte[] bomb = bytes("e0000001 00 R" + prefix + blanks + "a0".repeat(200_000) + "ff");
        assertThatThrownBy(() -> Sessions.decode(Sessions.open(), bomb))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContaining("characters repeated by indices");
    }

    @Test
    void contentThatRepeatsAChunk_exceedsTheElementLimit() {
        MessageLimits limits =
                MessageLimits.DEFAULTS.toBuilder().maxElementBytes(1000).build();
        String bomb = "e0000001 00 R NAME TYPE f0 92c5" + "20".repeat(200) + "a0".repeat(5) + "ff";
        assertThatThrownBy(() -> Sessions.decode(Sessions.open(limits), bytes(bomb)))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContaining("maxElementBytes");
    }

    @Test
    void attributeValue_asLongAsAnItemOfXmlTextAtMost() {
        MessageLimits limits =
                MessageLimits.DEFAULTS.toBuilder().maxNameBytes(100).build();
        int max = 18 * 100 + 65_536;
        assertThat(Sessions.decode(Sessions.open(limits), withAttribute(max)).isEmpty())
                .isTrue();
        assertThatThrownBy(() -> Sessions.decode(Sessions.open(limits), withAttribute(max + 1)))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContaining("attribute value: 67337 (expected: <= markupBytes 67336");
    }

    /** Returns a message with an unknown attribute. */
    private static byte[] withAttribute(int valueBytes) {
        String root = R.substring(0, R.length() - "f0".length());
        return bytes("e0000001 00" + root + "780061 0c" + String.format("%08x", valueBytes - 265)
                + "61".repeat(valueBytes) + "f0 ff");
    }

    @Test
    void hugeLengths_allocateNothing() {
        MessageLimits wide = MessageLimits.DEFAULTS.toBuilder()
                .maxElementBytes(Integer.MAX_VALUE - 8)
                .build();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (String hex : List.of(
                "e0000001 00 R NAME TYPE f0 8370000000",
                "e0000001 00 R NAME TYPE f0 9370000000",
                "e0000001 00 R NAME TYPE BASE64 f0 8c0770000000",
                "e0000001 00 7c064d657373616765 780676657273696f6e 0c70000000",
                "e0000001 20 0080 8fffff",
                "e0000001 20 0010 8fffff")) {
            ByteBuf encoded = Unpooled.wrappedBuffer(bytes(hex));
            assertThatThrownBy(() -> Sessions.open(wide).decode(encoded)).isInstanceOf(PeerFaultException.class);
            CodecSession session = Sessions.open(wide);
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            try {
                session.decode(encoded);
            } catch (PeerFaultException e) {
                long allocated =
                        threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
                assertThat(allocated).isLessThan(100_000);
            }
        }
    }

    @Test
    void chunksWithCharactersOfAnyLength_areJoined() {
        String text = "x" + "a\u00e9\u4e16\uD83D\uDE80".repeat(3000) + "yz".repeat(3000);
        StringBuilder chunks = new StringBuilder();
        text.codePoints().limit(100).forEach(codePoint -> {
            byte[] utf8 = Character.toString(codePoint).getBytes(StandardCharsets.UTF_8);
            chunks.append(utf8.length < 3 ? "8" + (utf8.length - 1) : "820" + (utf8.length - 3))
                    .append(ByteBufUtil.hexDump(utf8));
        });
        String rest = text.substring(text.offsetByCodePoints(0, 100));
        byte[] utf8 = rest.getBytes(StandardCharsets.UTF_8);
        chunks.append(String.format("83%08x", utf8.length - 259)).append(ByteBufUtil.hexDump(utf8));
        Message message =
                Sessions.decode(Sessions.open(), bytes("e0000001 00 R " + NAME + TYPE + "f0" + chunks + "f0 ff"));
        assertThat(message.elements().get(0).text()).isEqualTo(text);
    }

    /** A collector needs no memory for a chunk besides the chunk itself and what it collects. */
    @ParameterizedTest
    @ValueSource(strings = {"8061", "81c3a9", "8c0600616263"})
    void tinyChunks_takeLittleMemory(String chunk) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int chunks = 100_000;
        boolean octets = chunk.startsWith("8c");
        byte[] encoded =
                bytes("e0000001 00 R " + NAME + (octets ? BASE64 : TYPE) + "f0" + chunk.repeat(chunks) + "f0 ff");
        Sessions.decode(Sessions.open(), encoded);
        CodecSession session = Sessions.open();
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        Sessions.decode(session, encoded);
        long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
        assertThat((double) allocated / encoded.length).isLessThan(40);
    }

    /** {@link FastInfosetMessageFuzzTest} tests more inputs, guided by coverage. */
    @Test
    void mutatedSessions_throwOnlyPeerFaults() {
        long seed = TestSeed.next("FastInfosetHostileTest, mutations");
        MessageLimits limits =
                MessageLimits.DEFAULTS.toBuilder().maxMessageBytes(1 << 20).build();
        MessageGenerator messages = new MessageGenerator(seed, false);
        ByteMutator mutator = new ByteMutator(seed);
        int decoded = 0;
        for (int i = 0; i < 5000; i++) {
            CodecSession encoder = Sessions.open();
            CodecSession decoder = Sessions.open(limits);
            for (int k = 0; k < 6; k++) {
                byte[] encoded = Sessions.encode(encoder, messages.next(3));
                byte[] sent = k % 3 == 2 ? mutator.mutate(encoded) : encoded;
                try {
                    Sessions.decode(decoder, sent);
                    decoded++;
                } catch (PeerFaultException e) {
                    assertThat(e.code()).isIn(ErrorCode.MALFORMED_MESSAGE, ErrorCode.LIMIT_EXCEEDED);
                } catch (RuntimeException | Error e) {
                    throw new AssertionError("seed " + seed + ", input " + i + ": " + ByteBufUtil.hexDump(sent), e);
                }
            }
        }
        assertThat(decoded).isBetween(10_000, 29_900);
    }
}

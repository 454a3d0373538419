package io.parley.codec.xml.fastinfoset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.xml.fastinfoset.sax.SAXDocumentSerializer;
import io.netty.buffer.ByteBufUtil;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.ByteMutator;
import io.parley.testkit.codec.MessageGenerator;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xml.sax.helpers.AttributesImpl;

/** Tests which documents the guard accepts and rejects, and that accepted documents do a parser no harm. */
final class FastInfosetGuardTest {
    private static final FastInfosetLimits LIMITS = FastInfosetLimits.DEFAULTS;
    private static final String XML = "<?style sheet?><!--before--><a xmlns='urn:a' xmlns:b='urn:b' x='1' b:y='2'>"
            + "<b:c x='1'>text</b:c> <b:c x='1'>text</b:c><d/><![CDATA[<cdata>]]><e>世界 🚀</e><!--in--></a><!--after-->";

    // -- accepted documents

    @Test
    void documentsOfTheLibrary_pass() throws Exception {
        byte[] xml = XML.getBytes(StandardCharsets.UTF_8);
        assertPasses(FastInfosetLibraryTest.bySax(xml, serializer -> {}));
        assertPasses(
                FastInfosetLibraryTest.bySax(xml, serializer -> serializer.setCharacterEncodingScheme("UTF-16BE")));
        assertPasses(FastInfosetLibraryTest.bySax(xml, serializer -> serializer.setMaxAttributeValueSize(0)));
    }

    @Test
    void documentsOfMessages_pass() throws Exception {
        MessageGenerator messages = new MessageGenerator(TestSeed.next("FastInfosetGuardTest, messages"), false);
        for (int i = 0; i < 150; i++) {
            assertPasses(Sessions.encode(Sessions.open(), messages.next(8)));
        }
    }

    @Test
    void builtInAlgorithms_pass() throws Exception {
        assertPasses(algorithms());
    }

    private static byte[] algorithms() throws Exception {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        SAXDocumentSerializer serializer = new SAXDocumentSerializer();
        serializer.setOutputStream(target);
        serializer.startDocument();
        serializer.startElement("", "a", "a", new AttributesImpl());
        serializer.bytes(new byte[] {1, 2, 3, 4, 5}, 0, 5);
        serializer.shorts(new short[] {-32768, 1}, 0, 2);
        serializer.ints(new int[] {Integer.MIN_VALUE, 1}, 0, 2);
        serializer.longs(new long[] {Long.MIN_VALUE, 1}, 0, 2);
        serializer.booleans(new boolean[] {false, true, false}, 0, 3);
        serializer.floats(new float[] {-1.17549435E-38f, 1}, 0, 2);
        serializer.doubles(new double[] {-Double.MIN_NORMAL, 1}, 0, 2);
        serializer.uuids(new long[] {1, 2}, 0, 2);
        serializer.numericCharacters("0123456789-+. ".toCharArray(), 0, 14);
        serializer.dateTimeCharacters("0123456789-:TZ ".toCharArray(), 0, 15);
        serializer.endElement("", "a", "a");
        serializer.endDocument();
        return target.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // each table except the external one: a prefix, its namespace, names, values, chunks, surrogates
                "e0000001 20 0fff 00 016162 00 0075 00 0070 00 0375726e70 00 0061 00 0062 00 0075 00 0076 00 0063 00 0073"
                        + "00 00 00 00 00 00 38 cf 81 81 f0 00 a0 ff",
                "e0000001 20 0080 00 0061 3c80 ff",
                // additional data, encoding scheme, standalone, version
                "e0000001 47 00 0061 0062 047574662d38 01 02312e30 3c0061 ff",
                "3c3f786d6c20656e636f64696e673d2766696e66273f3e e0000001 00 3c0061 ff"
            })
    void documentWithOptionalParts_passes(String hex) {
        assertThatCode(() -> check(bytes(hex), LIMITS)).doesNotThrowAnyException();
    }

    /** Also parses the document, to ensure that it is a document that parsers accept. */
    private static void assertPasses(byte[] document) throws Exception {
        check(document, LIMITS);
        assertThat(Infoset.ofFastInfoset(document)).isNotEmpty();
    }

    // -- rejected documents

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        00 3c0061 ff                              | document: no header
        e0000001 80                               | document properties: octet 80
        e0000001 20 1000 0061                     | external vocabulary: not supported
        e0000001 20 0040 8fffff                   | other name: 1048704
        e0000001 20 0010 00 6061                  | attribute value: octet 60
        e0000001 20 0002 00 0000                  | local names: index 0 (expected: < 0)
        e0000001 20 0001 00 03                    | attribute name: 03 (expected: 00
        e0000001 10 f0 3c0061 ff                  | notation or unparsed entity: not supported
        e0000001 08 f0 3c0061 ff                  | notation or unparsed entity: not supported
        e0000001 00 c4 f0 3c0061 ff               | document type declaration: not supported
        e0000001 00 f0                            | root element: octet f0
        e0000001 00 00 ff                         | element names: index 0
        e0000001 00 3c0061 c8 0061 ff             | entity reference: not supported
        e0000001 00 3c0061 f0                     | end of the document: missing
        e0000001 00 3c0061 ff 00                  | end of the document: 1 bytes follow
        e0000001 00 3c0061 f0 3c0061 ff           | end of the document: octet 3c
        e0000001 00 3c0061 a0 ff                  | character chunks: index 0
        e0000001 00 3c0061 8370000000             | characters: 1879048451 bytes (expected: <= remaining bytes 0
        e0000001 00 3c0061 80c0 ff                | characters: not UTF-8
        e0000001 00 3c0061 8461 ff                | characters: not UTF-16
        e0000001 00 3c0061 8d0461 ff              | encoding algorithm 66 (expected: a built-in one
        e0000001 00 3c0061 888061 ff              | restricted alphabet 33 (expected: a built-in one
        e0000001 00 3c0061 8800f0 ff              | character 15 of a restricted alphabet
        e0000001 00 3c0061 88010f00 ff            | character 15 of a restricted alphabet
        e0000001 00 7c0061 f0 ff                  | attribute: octet f0
        e0000001 00 38 f0 3c0061 ff               | namespace attribute: octet f0
        e0000001 00 3c0061 8c2861 ff              | encoding algorithm 11 (expected: a built-in one
        e0000001 00 3c0061 e2 0c70000000          | comment: 1879048457 bytes
        e0000001 00 3c0061 e1 6070000000          | target of a processing instruction: 1879048513 bytes
        e0000001 00 3c6070000000                  | local name: 1879048513 bytes
        e0000001 00 7c0061 780061 80 ff           | attribute values: index 0
        e0000001 00 7c0061 00 80 ff               | attribute names: index 0
        e0000001 00 7c0061 f1                     | attribute: octet f1
        e0000001 00 38 cf 81 80 f0 3c0061 ff      | prefixes: index 1
        e0000001 00 38 cc f0 40                   | element name: octet 40
        e0000001 00 38 c0                         | namespace attribute: octet c0
        """)
    void fault_isNamedWithItsOffset(String hex, String expected) {
        assertThatThrownBy(() -> check(bytes(hex), LIMITS))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                .hasMessageContaining("Fast Infoset document, at byte ")
                .hasMessageContaining(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        10  9 9 9 9 9 9 999 | e0000001 00 3c0061 3c0062 ff f0             | maxBytes 10
        99  1 9 9 9 9 9 999 | e0000001 00 3c0061 3c0062 ff f0             | maxDepth 1
        99  9 1 9 9 9 9 999 | e0000001 00 3c0061 00 ff f0                 | maxElements 1
        99  9 9 1 9 9 9 999 | e0000001 00 7c0061 780062 ff 780063 ff ff f0 | maxAttributes 1
        99  9 9 1 9 9 9 999 | e0000001 00 78 cd0063 f0 3c0061 780062 ff ff f0 | maxAttributes 1
        99  9 9 9 1 9 9 999 | e0000001 00 3c016161 ff                     | maxNameBytes 1
        99  9 9 9 9 1 9 999 | e0000001 00 3c0061 3c0062 ff f0             | maxTableEntries 1
        99  9 9 9 9 9 3 999 | e0000001 00 3c0061 916161916161 ff        | maxTableCharacters 3
        99  9 9 9 9 9 9 20  | e0000001 00 3c0061 9161 61 a0a0a0a0a0a0a0a0 ff | maxCharacters 20
        99  9 9 9 9 9 9 20  | e0000001 00 3c0061 00 00 00 ff ff           | maxCharacters 20
        99  9 9 9 9 9 9 40  | e0000001 00 3c0061 8c1461 ff                | maxCharacters 40
        """)
    void documentOverALimit_isRejected(String limits, String hex, String expected) {
        String[] values = limits.strip().split(" +");
        int[] ints = Arrays.stream(values).mapToInt(Integer::parseInt).toArray();
        FastInfosetLimits narrow =
                new FastInfosetLimits(ints[0], ints[1], ints[2], ints[3], ints[4], ints[5], ints[6], ints[7]);
        assertThatThrownBy(() -> check(bytes(hex), narrow))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContaining(expected);
    }

    @Test
    void repetitionBomb_isRejected() {
        // 300 KB that expand to 300 MB.
        String bomb = "e0000001 00 3c0061 93000002e5" + "61".repeat(1000) + "a0".repeat(300_000) + "ff";
        assertThatThrownBy(() -> check(bytes(bomb), LIMITS)).hasMessageContaining("maxCharacters 67108864");
    }

    @Test
    void deepDocument_isRejected() {
        String deep = "e0000001 00 3c0061" + "00".repeat(100_000);
        assertThatThrownBy(() -> check(bytes(deep), LIMITS)).hasMessageContaining("maxDepth 256");
    }

    @Test
    void limitsBelowOne_areRejected() {
        assertThatThrownBy(() -> LIMITS.toBuilder().maxBytes(0).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxBytes: 0 (expected: >= 1)");
    }

    // -- accepted documents are harmless

    @Test
    void mutatedDocumentsThatPass_doAParserNoHarm() throws Exception {
        long seed = TestSeed.next("FastInfosetGuardTest, mutations");
        FastInfosetLimits narrow =
                LIMITS.toBuilder().maxCharacters(100_000).maxBytes(100_000).build();
        List<byte[]> bases = new ArrayList<>();
        bases.add(algorithms());
        byte[] xml = XML.getBytes(StandardCharsets.UTF_8);
        bases.add(FastInfosetLibraryTest.bySax(xml, serializer -> {}));
        bases.add(FastInfosetLibraryTest.bySax(xml, serializer -> serializer.setCharacterEncodingScheme("UTF-16BE")));
        MessageGenerator messages = new MessageGenerator(seed, false);
        for (int i = 0; i < 10; i++) {
            bases.add(Sessions.encode(Sessions.open(), messages.next(3)));
        }
        ByteMutator mutator = new ByteMutator(seed);
        GuardedParser parser = new GuardedParser(narrow);
        int passed = 0;
        for (int i = 0; i < 30_000; i++) {
            byte[] mutated = mutator.mutate(bases.get(i % bases.size()));
            try {
                passed += parser.parse(mutated) ? 1 : 0;
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ", input " + i + ": " + ByteBufUtil.hexDump(mutated), e);
            }
        }
        assertThat(passed).isBetween(1000, 29_000);
    }

    private static void check(byte[] bytes, FastInfosetLimits limits) {
        FastInfosetGuard.check(bytes, 0, bytes.length, limits);
    }

    private static byte[] bytes(String hex) {
        return ByteBufUtil.decodeHexDump(hex.replace(" ", ""));
    }
}

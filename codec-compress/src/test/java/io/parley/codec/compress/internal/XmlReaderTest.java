package io.parley.codec.compress.internal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.ByteMutator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A document that the reader accepts is restored byte for byte by the writer, from the nodes of {@link Treechop} and from the symbols of {@link XmlPpm}. These tests need no document that becomes
 * smaller, unlike those of the scheme.
 */
final class XmlReaderTest {

    /** Larger documents may become so small that xmlppm does not accept them. */
    private static final int MAX_PREDICTED_BYTES = 1000;

    /** The number of documents of which one is predicted, because that takes a hundred times as long. */
    private static final int PREDICTED_SHARE = 64;

    // -- restored documents

    @Test
    void read_documents_areRestored() {
        long seed = TestSeed.next("documents of XML");
        Random random = new Random(seed);
        for (int i = 0; i < 5000; i++) {
            byte[] document = XmlSoup.document(random);
            assertThat(isRestored(document)).as("seed %d, document %d", seed, i).isTrue();
        }
    }

    @Test
    void read_mutatedDocuments_areRestoredOrRefused() {
        long seed = TestSeed.next("mutated documents of XML");
        Random random = new Random(seed);
        ByteMutator mutator = new ByteMutator(seed);
        int accepted = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] document = mutator.mutate(XmlSoup.document(random));
            accepted += isRestored(document) ? 1 : 0;
        }
        assertThat(accepted).as("accepted with seed %d", seed).isBetween(1000, 19_000);
    }

    @Test
    void read_tokensOfXml_areRestoredOrRefused() {
        long seed = TestSeed.next("tokens of XML");
        Random random = new Random(seed);
        int accepted = 0;
        for (int i = 0; i < 50_000; i++) {
            accepted += isRestored(XmlSoup.tokens(random)) ? 1 : 0;
        }
        assertThat(accepted).as("accepted with seed %d", seed).isPositive();
    }

    @Test
    void read_noise_isRestoredOrRefused() {
        Random random = TestSeed.random("noise instead of XML");
        for (int i = 0; i < 5000; i++) {
            byte[] noise = new byte[random.nextInt(100)];
            random.nextBytes(noise);
            isRestored(noise);
        }
    }

    /** All short sequences of the characters that have a meaning. */
    @Test
    void read_shortDocuments_areRestoredOrRefused() {
        String characters = "<>/a b='!?-[]";
        int accepted = 0;
        for (int length = 0; length <= 5; length++) {
            int[] positions = new int[length];
            byte[] document = new byte[length];
            do {
                for (int i = 0; i < length; i++) {
                    document[i] = (byte) characters.charAt(positions[i]);
                }
                accepted += isRestored(document) ? 1 : 0;
            } while (next(positions, characters.length()));
        }
        assertThat(accepted).isGreaterThan(20);
    }

    private static boolean next(int[] positions, int count) {
        for (int i = 0; i < positions.length; i++) {
            positions[i]++;
            if (positions[i] < count) {
                return true;
            }
            positions[i] = 0;
        }
        return false;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<a/>",
                "<a></a>",
                "\ufeff \r\n<a/>\u00e9",
                "<a/>\n<b/>text",
                "<a/></a>",
                "<a b='\"' c=\"'>\" d='/'/>",
                "<a b='/'></a>",
                "<a b='>'/>",
                "<a b = '/>' ></a>",
                "<a b=c/>",
                "<a b=c></a>",
                "<a / ></a>",
                "<a/ ></a>",
                "<a b='1'c='2'></a>",
                "<a b='1' /></a>",
                "<a  b='1'/>",
                "<a =''/>",
                "<a b></a>",
                "<a b/>",
                "<a \"></a>\" ></a>",
                "<a <b></a>",
                "<a><a><a/></a></a\n>",
                "<a><!----></a>",
                "<a><!-- -- --></a>",
                "<a><!-- -></a> --></a>",
                "<a><![CDATA[]]></a>",
                "<a><![CDATA[]]]]></a>",
                "<a><![CDATA[<b>]]&gt;]] >]]></a>",
                "<a><??></a>",
                "<a><?b ? > ?></a>",
                "<!DOCTYPE a><a/>",
                "<!DOCTYPE a SYSTEM \"<b>\" [<!ENTITY c '<d>'> <!ATTLIST a b CDATA \"]>\"> <!-- '<e> --> <?f ' ?> ]><a/>",
                "<!-- <a> --><?b <c> ?><a/>",
                "<a b=''/>",
                "<a>]]></a>",
                "<a\tb='1'\n/>",
                "<\u4e2d \u6587='1'/>",
            })
    void read_usualAndUnusualForms_areRestored(String document) {
        assertThat(isRestored(document.getBytes(UTF_8))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<",
                "a",
                "</",
                "</a>",
                "</a",
                "</>",
                "<!",
                "<!-",
                "<!-->",
                "<?>",
                "<?",
                "<>",
                "</><a/>",
                "< a></a>",
                "<a",
                "<a>",
                "<a ",
                "<a b",
                "<a b=",
                "<a b='",
                "<a b=''",
                "<a><",
                "<a></",
                "<a></a",
                "<a></a ",
                "<a></ab>",
                "<ab></a>",
                "<a></ a>",
                "<a></a b>",
                "<a><!--></a>",
                "<a><!---></a>",
                "<a><![CDATA[]></a>",
                "<a><![CDATA[]]</a>",
                "<a><?></a>",
                "<a><!DOCTYPE b></a>",
                "<!DOCTYPE",
                "<!DOCTYPE a [ ]",
                "<!DOCTYPE a '><a/>",
                "<!DOCTYPE a [<!-- ]><a/>",
                "<!doctype a><a/>",
                "<a>\u0000</a>",
                "<a/>\u0000",
                "\u0000<a/>",
                "<a b='></a>",
            })
    void read_documentsThatAreNotBalanced_areRefused(String document) {
        assertThat(isRestored(document.getBytes(UTF_8))).isFalse();
    }

    @Test
    void read_otherEncodings() {
        String document = "<?xml version='1.0'?><a b='\u00e9'>\u00fc</a>";
        assertThat(isRestored(document.getBytes(ISO_8859_1))).isTrue();
        assertThat(isRestored(document.getBytes(UTF_16LE))).isFalse();
        assertThat(isRestored(document.getBytes(UTF_16BE))).isFalse();
    }

    // -- limits

    static Stream<Arguments> limits() {
        return Stream.of(
                Arguments.of("elements within each other", XmlReader.MAX_DEPTH, limit(n -> nested(n, ""))),
                Arguments.of("the last of which is empty", XmlReader.MAX_DEPTH, limit(n -> nested(n - 1, "<b/>"))),
                Arguments.of("attributes", XmlReader.MAX_ATTRIBUTES, limit(n -> attributes(n, "/>"))),
                Arguments.of(
                        "attributes before an unusual form",
                        XmlReader.MAX_ATTRIBUTES,
                        limit(n -> attributes(n, "\nb='1'/>"))),
                Arguments.of("bytes of a name", XmlReader.MAX_NAME_BYTES, limit(n -> "<" + "a".repeat(n) + "/>")),
                Arguments.of(
                        "bytes of a name with an end tag",
                        XmlReader.MAX_NAME_BYTES,
                        limit(n -> "<" + "a".repeat(n) + "></" + "a".repeat(n) + ">")));
    }

    private interface DocumentOfSize {
        String of(int size);
    }

    private static DocumentOfSize limit(DocumentOfSize documents) {
        return documents;
    }

    private static String nested(int depth, String content) {
        return "<a>".repeat(depth) + content + "</a>".repeat(depth);
    }

    private static String attributes(int count, String end) {
        StringBuilder document = new StringBuilder("<a");
        IntStream.range(0, count)
                .forEach(i -> document.append(" b").append(i % 9).append("=''"));
        return document + end;
    }

    @ParameterizedTest(name = "{1} {0}")
    @MethodSource("limits")
    void read_documentAtALimit_isAccepted_andTheNextIsRefused(String name, int limit, DocumentOfSize documents) {
        assertThat(isWritten(documents.of(limit - 1).getBytes(UTF_8))).isTrue();
        assertThat(isWritten(documents.of(limit).getBytes(UTF_8))).isTrue();
        assertThat(isWritten(documents.of(limit + 1).getBytes(UTF_8))).isFalse();
    }

    /** The name of an attribute that is too long belongs to a tag of unusual form. */
    @ParameterizedTest
    @ValueSource(ints = {XmlReader.MAX_NAME_BYTES, XmlReader.MAX_NAME_BYTES + 1})
    void read_longNameOfAnAttribute_isAccepted(int bytes) {
        byte[] document = ("<a " + "b".repeat(bytes) + "='1'/>").getBytes(UTF_8);
        assertThat(isRestored(document)).isTrue();
        List<String> names = new ArrayList<>();
        XmlReader.read(document, new AttributeNames(names::add));
        assertThat(names).hasSize(bytes > XmlReader.MAX_NAME_BYTES ? 0 : 1);
    }

    // -- the writer

    @Test
    void write_moreElementsWithinEachOther_isMalformed() {
        XmlWriter writer = new XmlWriter(new GrowingArray(0, 10_000, 0));
        byte[] name = {'a'};
        for (int depth = 0; depth < XmlReader.MAX_DEPTH; depth++) {
            writer.startElement(name, 0, 1, false);
        }
        assertMalformed(() -> writer.startElement(name, 0, 1, false), "more than 256 elements within each other");
    }

    @Test
    void write_endWithoutAnElement_isMalformed() {
        XmlWriter writer = new XmlWriter(new GrowingArray(0, 10_000, 0));
        assertMalformed(writer::endElement, "an element ends that did not begin");
        assertMalformed(() -> writer.endElement(new byte[9], 0, 9), "an element ends that did not begin");
    }

    private static void assertMalformed(Runnable work, String fault) {
        assertThatThrownBy(work::run)
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                .hasMessageContaining(fault);
    }

    // -- round trips

    /** Returns whether a document is accepted. Fails if it is accepted and not restored by the writer and from its nodes or symbols. */
    private static boolean isRestored(byte[] document) {
        boolean accepted = isWritten(document);
        assertThat(isRestored(new Treechop(), document)).isEqualTo(accepted);
        if (document.length <= MAX_PREDICTED_BYTES && Arrays.hashCode(document) % PREDICTED_SHARE == 0) {
            assertThat(isRestored(new XmlPpm(), document)).isEqualTo(accepted);
        }
        return accepted;
    }

    private static boolean isRestored(XmlCompression compression, byte[] document) {
        GrowingArray compressed = new GrowingArray(0, 2 * document.length + 1000, 0);
        boolean compressible = compression.compress(document, compressed);
        if (compressible) {
            GrowingArray restored = new GrowingArray(0, document.length, 0);
            compression.expand(ByteBuffer.wrap(compressed.toArray(0)), restored);
            assertSame(restored.toArray(0), document);
        }
        return compressible;
    }

    private static boolean isWritten(byte[] document) {
        GrowingArray out = new GrowingArray(0, document.length, 0);
        boolean accepted = XmlReader.read(document, new XmlWriter(out));
        if (accepted) {
            assertSame(out.toArray(0), document);
        }
        return accepted;
    }

    private static void assertSame(byte[] actual, byte[] document) {
        // Latin-1 has a character for each byte.
        assertThat(new String(actual, ISO_8859_1)).isEqualTo(new String(document, ISO_8859_1));
    }

    /** Passes on the names of attributes. */
    private record AttributeNames(Consumer<String> names) implements XmlHandler {
        @Override
        public void prologue(byte[] in, int from, int to) {}

        @Override
        public void startElement(byte[] in, int from, int to, boolean empty) {}

        @Override
        public void attributeName(byte[] in, int from, int to, boolean apostrophe) {
            names.accept(new String(in, from, to - from, UTF_8));
        }

        @Override
        public void attributeValue(byte[] in, int from, int to) {}

        @Override
        public void restOfTag(byte[] in, int from, int to) {}

        @Override
        public void text(byte[] in, int from, int to) {}

        @Override
        public void section(XmlSection section, byte[] in, int from, int to) {}

        @Override
        public void endElement() {}

        @Override
        public void endElement(byte[] in, int from, int to) {}

        @Override
        public void epilogue(byte[] in, int from, int to) {}
    }
}

package io.parley.codec.xml.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.ByteMutator;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.XMLStreamWriter;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests elements as XML streams in both forms. */
final class XmlStreamsTest {
    static final String[] documents = Samples.DOCUMENTS;

    private final XmlStreams streams = XmlStreams.DEFAULTS;

    // -- reading

    @ParameterizedTest
    @FieldSource("documents")
    void read_textAndFastInfoset_returnEqualEvents(String document) throws XMLStreamException {
        List<String> events = events(Samples.textElement(document));
        assertThat(events).isNotEmpty();
        assertThat(events(Samples.infosetElement(document))).isEqualTo(events);
    }

    @Test
    void read_randomDocuments_returnEqualEventsInBothForms() throws XMLStreamException {
        long seed = TestSeed.next("XmlStreamsTest, random documents");
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            String document = Samples.randomDocument(random);
            assertThat(events(Samples.infosetElement(document)))
                    .as("seed %d, document %d", seed, i)
                    .isEqualTo(events(Samples.textElement(document)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void read_allKinds_returnsTheirEvents(XmlForm form) throws XMLStreamException {
        String document = "<p:r xmlns:p=\"urn:p\" xmlns=\"urn:d\" a=\"1\" p:b=\"&lt;\">x&amp;y<!--c--><e xmlns=\"\"/>"
                + "<![CDATA[<z>]]><?t d?></p:r>";
        assertThat(events(Samples.element(form, document)))
                .containsExactly(
                        "<{urn:p}p:r xmlns:p=urn:p xmlns=urn:d {}a=1 {urn:p}p:b=<>",
                        "x&y",
                        "<!--c-->",
                        "<{}e xmlns=>",
                        "</{}e>",
                        "[<z>]",
                        "<?t d?>",
                        "</{urn:p}p:r>",
                        "end");
    }

    @ParameterizedTest
    @EnumSource
    void read_byConvenienceMethods_appliesTheChecks(XmlForm form) throws XMLStreamException {
        XMLStreamReader reader =
                streams.read(Samples.element(form, "<a> <!--c--><b>one<![CDATA[two]]><!--c-->three</b></a>"));
        assertThat(reader.nextTag()).isEqualTo(XMLStreamConstants.START_ELEMENT);
        assertThat(reader.nextTag()).isEqualTo(XMLStreamConstants.START_ELEMENT);
        assertThat(reader.getElementText()).isEqualTo("onetwothree");
        assertThat(reader.getLocalName()).isEqualTo("b");
        assertThat(reader.nextTag()).isEqualTo(XMLStreamConstants.END_ELEMENT);
        assertThat(reader.next()).isEqualTo(XMLStreamConstants.END_DOCUMENT);
        assertThat(reader.hasNext()).isFalse();
        assertThatThrownBy(reader::next).isInstanceOf(NoSuchElementException.class);
        XMLStreamReader mixed = streams.read(Samples.element(form, "<a>text<b/></a>"));
        mixed.nextTag();
        assertThatThrownBy(mixed::getElementText).isInstanceOf(XMLStreamException.class);
    }

    @Test
    void read_anyCharset_isDecoded() throws XMLStreamException {
        for (String charset : new String[] {"UTF-8", "ISO-8859-1", "UTF-16", "UTF-16LE", "UTF-16BE", "windows-1252"}) {
            byte[] bytes = "<a>é</a>".getBytes(Charset.forName(charset));
            MessageElement typed = MessageElement.of("n", bytes).withType("text/xml; charset=" + charset);
            assertThat(events(typed)).as(charset).contains("é");
            String declared = "<?xml version='1.0' encoding='" + charset + "'?><a>é</a>";
            MessageElement untyped = MessageElement.of("n", declared.getBytes(Charset.forName(charset)))
                    .withType("application/xml");
            assertThat(events(untyped)).as("declared " + charset).contains("é");
        }
        String wrong = "<?xml version='1.0' encoding='UTF-16'?><a>é</a>";
        assertThat(events(Samples.textElement(wrong)))
                .as("the charset of the type has precedence")
                .contains("é");
        assertThat(events(Samples.textElement("\uFEFF<a>é</a>"))).contains("é");
    }

    @Test
    void read_elementsOfOtherTypes_areRejected() {
        for (String type : new String[] {"text/plain", "application/octet-stream", "text/html"}) {
            assertFails(
                    ErrorCode.MALFORMED_MESSAGE,
                    () -> streams.read(Samples.textElement("<a/>").withType(type)));
        }
        assertFails(
                ErrorCode.MALFORMED_MESSAGE,
                () -> streams.read(Samples.textElement("<a/>").withType("text/xml;charset=klingon")));
    }

    @ParameterizedTest
    @EnumSource
    void read_rangeOfAnArrayOrFile_isRead(XmlForm form, @TempDir Path directory) throws Exception {
        MessageElement element = Samples.element(form, "<a>text</a>");
        byte[] bytes = element.toByteArray();
        byte[] shared = new byte[bytes.length + 7];
        System.arraycopy(bytes, 0, shared, 3, bytes.length);
        assertThat(events(element.withPayload(Payload.of(shared, 3, bytes.length))))
                .contains("text");
        Path file = Files.write(directory.resolve("file"), bytes);
        assertThat(events(MessageElement.ofFile("n", file).withType(form.type())))
                .contains("text");
    }

    // -- writing

    @ParameterizedTest
    @EnumSource
    void write_allKinds_isReadAsWritten(XmlForm form) throws XMLStreamException {
        MessageElement element = streams.write("n", form, xml -> {
            xml.writeStartDocument();
            xml.writeComment("c");
            xml.writeStartElement("p", "r", "urn:p");
            xml.writeNamespace("p", "urn:p");
            xml.writeAttribute("p", "urn:p", "a", "\"<&>'\n");
            xml.writeCharacters("x < y & z");
            xml.writeEmptyElement("e");
            xml.writeAttribute("id", "1");
            xml.writeCData("<raw>");
            xml.writeProcessingInstruction("t", "d");
            xml.writeEndElement();
            xml.writeEndDocument();
            xml.close();
        });
        assertThat(element.name()).isEqualTo("n");
        assertThat(element.type()).isEqualTo(form.type());
        assertThat(XmlForm.of(element)).contains(form);
        assertThat(events(element))
                .containsExactly(
                        "<!--c-->",
                        "<{urn:p}p:r xmlns:p=urn:p {urn:p}p:a=\"<&>'\n>",
                        "x < y & z",
                        "<{}e {}id=1>",
                        "</{}e>",
                        "[<raw>]",
                        "<?t d?>",
                        "</{urn:p}p:r>",
                        "end");
    }

    @ParameterizedTest
    @EnumSource
    void write_elementsLeftOpen_areClosed(XmlForm form) throws XMLStreamException {
        MessageElement element = streams.write("n", form, xml -> {
            xml.writeStartElement("a");
            xml.writeStartElement("b");
        });
        assertThat(events(element)).containsExactly("<{}a>", "<{}b>", "</{}b>", "</{}a>", "end");
    }

    @ParameterizedTest
    @EnumSource
    void write_malformed_isRejected(XmlForm form) {
        List<XmlBody> bodies = List.of(
                xml -> {},
                xml -> xml.writeStartElement("a b"),
                xml -> xml.writeStartElement("p", "undeclared", "urn:p"),
                xml -> withRoot(xml).writeCharacters("\u0001"),
                xml -> withRoot(xml).writeCharacters("\uFFFF"),
                xml -> withRoot(xml).writeAttribute("a", "\u0000"),
                xml -> withRoot(xml).writeComment("--"),
                xml -> withRoot(xml).writeProcessingInstruction("t", "?>"),
                xml -> withRoot(xml).writeEntityRef("e"),
                xml -> xml.writeDTD("<!DOCTYPE a>"),
                xml -> {
                    withRoot(xml).writeEndElement();
                    xml.writeStartElement("second");
                },
                xml -> {
                    throw new XMLStreamException("thrown by the body");
                });
        for (int i = 0; i < bodies.size(); i++) {
            XmlBody body = bodies.get(i);
            assertThatThrownBy(() -> streams.write("n", form, body))
                    .as("body %d", i)
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_ENCODABLE));
        }
    }

    private static XMLStreamWriter withRoot(XMLStreamWriter xml) throws XMLStreamException {
        xml.writeStartElement("root");
        return xml;
    }

    @ParameterizedTest
    @EnumSource
    void write_overTheLimits_isTooLarge(XmlForm form) {
        XmlStreams strict = new XmlStreams(
                XmlLimits.DEFAULTS.toBuilder().maxBytes(100).maxDepth(3).build());
        assertFails(
                ErrorCode.MESSAGE_TOO_LARGE,
                () -> strict.write("n", form, xml -> withRoot(xml).writeCharacters("x".repeat(100))));
        assertFails(
                ErrorCode.MESSAGE_TOO_LARGE,
                () -> strict.write("n", form, xml -> {
                    for (int i = 0; i < 4; i++) {
                        xml.writeStartElement("a");
                    }
                }));
    }

    // -- limits

    @ParameterizedTest
    @EnumSource
    void read_limits_areExact(XmlForm form) throws XMLStreamException {
        XmlLimits limits = XmlLimits.DEFAULTS;
        assertLimit(
                form,
                limits.toBuilder().maxDepth(3).build(),
                "<a><a><a/></a><a/></a>",
                "<a><a><a><a/></a></a></a>",
                "maxDepth");
        assertLimit(
                form,
                limits.toBuilder().maxAttributes(2).build(),
                "<a b='' xmlns:p='urn:p'/>",
                "<a b='' c='' xmlns:p='urn:p'/>",
                "maxAttributes");
        assertLimit(form, limits.toBuilder().maxNameChars(5).build(), "<abcde/>", "<abcdef/>", "maxNameChars");
        assertLimit(
                form, limits.toBuilder().maxNameChars(5).build(), "<a abcde=''/>", "<a abcdef=''/>", "maxNameChars");
        assertLimit(
                form,
                limits.toBuilder().maxNameChars(5).build(),
                "<a xmlns='urn:5'/>",
                "<a xmlns='urn:56'/>",
                "maxNameChars");
        assertLimit(
                form,
                limits.toBuilder().maxCharacters(10).build(),
                "<a b='34'>56<c/>890</a>",
                "<a b='34'>56<c/>8901</a>",
                "maxCh");
        MessageElement element = Samples.element(form, "<a/>");
        int size = (int) element.size();
        assertThat(events(new XmlStreams(limits.toBuilder().maxBytes(size).build()), element))
                .isNotEmpty();
        assertFails(
                ErrorCode.LIMIT_EXCEEDED,
                () -> new XmlStreams(limits.toBuilder().maxBytes(size - 1).build()).read(element));
    }

    @ParameterizedTest
    @EnumSource
    void read_names_areLimited(XmlForm form) throws XMLStreamException {
        assertLimit(form, XmlLimits.DEFAULTS, names(4094), names(4096), "distinct names");
    }

    /** A reader of a stream retains no nodes. */
    @ParameterizedTest
    @EnumSource
    void read_nodes_areNotLimited(XmlForm form) throws XMLStreamException {
        XmlLimits limits = XmlLimits.DEFAULTS.toBuilder().maxNodes(1).build();
        assertThat(events(new XmlStreams(limits), Samples.element(form, "<a><b/><c/></a>")))
                .isNotEmpty();
    }

    /** Returns a document with that many names and the one of its root; absent prefixes count as one name. */
    private static String names(int count) {
        StringBuilder document = new StringBuilder("<a>");
        for (int i = 0; i < count; i++) {
            document.append("<n").append(i).append("/>");
        }
        return document.append("</a>").toString();
    }

    private static void assertLimit(XmlForm form, XmlLimits limits, String allowed, String rejected, String name)
            throws XMLStreamException {
        XmlStreams strict = new XmlStreams(limits);
        assertThat(events(strict, Samples.element(form, allowed))).isNotEmpty();
        assertThatThrownBy(() -> events(strict, Samples.element(form, rejected)))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContaining(name);
    }

    @Test
    void limits_outOfRange_areRejected() {
        assertThatThrownBy(() -> XmlLimits.DEFAULTS.toBuilder().maxDepth(0).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxDepth: 0 (expected: 1 to 1000)");
        assertThatThrownBy(() -> XmlLimits.DEFAULTS.toBuilder().maxBytes(0).build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () -> XmlLimits.DEFAULTS.toBuilder().maxAttributes(-1).build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> XmlLimits.DEFAULTS.toBuilder().maxNameChars(0).build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () -> XmlLimits.DEFAULTS.toBuilder().maxCharacters(-1).build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> XmlLimits.DEFAULTS.toBuilder().maxNodes(0).build())
                .isInstanceOf(IllegalArgumentException.class);
    }

    // -- hostile input

    @Test
    void read_documentTypeDeclarations_areRejected(@TempDir Path directory) throws Exception {
        Path secret = Files.writeString(directory.resolve("secret"), "secret");
        String laughs = "<!DOCTYPE a [<!ENTITY l0 'ha'>"
                + "<!ENTITY l1 '&l0;&l0;&l0;&l0;&l0;&l0;&l0;&l0;&l0;&l0;'><!ENTITY l2 '&l1;&l1;&l1;&l1;&l1;&l1;&l1;&l1;'>"
                + "]><a>&l2;</a>";
        for (String document : new String[] {
            "<!DOCTYPE a [<!ENTITY e SYSTEM '" + secret.toUri() + "'>]><a>&e;</a>",
            "<!DOCTYPE a SYSTEM '" + secret.toUri() + "'><a/>",
            "<!DOCTYPE a [<!ENTITY % e SYSTEM '" + secret.toUri() + "'>%e;]><a/>",
            "<!DOCTYPE a><a/>",
            laughs
        }) {
            assertThatThrownBy(() -> events(Samples.textElement(document)))
                    .as(document)
                    .isInstanceOfSatisfying(
                            PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                    .hasMessageContaining("document type declaration");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<",
                "<a",
                "<a>",
                "<a></b>",
                "<a b='1' b='2'/>",
                "<a>&e;</a>",
                "<a>\u0001</a>",
                "<a/><b/>",
                "a<b/>",
                "<p:a/>",
                "<a>&#0;</a>",
                "<a><![CDATA[</a>",
                "<a b=<>/>"
            })
    void read_malformedText_isPeerFault(String document) {
        assertFails(ErrorCode.MALFORMED_MESSAGE, () -> events(Samples.textElement(document)));
    }

    @ParameterizedTest
    @EnumSource
    void read_deepNesting_stopsAtTheLimit(XmlForm form) {
        // The binary form is built manually, because its writers are recursive. A start tag takes one byte after the
        // first.
        byte[] bytes;
        if (form == XmlForm.TEXT) {
            bytes = "<a>".repeat(200_000).getBytes(StandardCharsets.UTF_8);
        } else {
            byte[] start = Samples.fastInfoset("<a><a/></a>");
            bytes = new byte[200_000];
            System.arraycopy(start, 0, bytes, 0, start.length - 2);
        }
        assertFails(
                ErrorCode.LIMIT_EXCEEDED,
                () -> events(MessageElement.of("n", bytes).withType(form.type())));
    }

    @Test
    void read_repeatedStrings_stopAtTheLimit() throws XMLStreamException {
        String document = "<a>" + ("<b c='" + "x".repeat(30) + "'/>").repeat(100) + "</a>";
        MessageElement element = Samples.infosetElement(document);
        assertThat(element.size()).isLessThan(500);
        assertThat(events(
                        new XmlStreams(XmlLimits.DEFAULTS.toBuilder()
                                .maxCharacters(4000)
                                .build()),
                        element))
                .isNotEmpty();
        assertFails(
                ErrorCode.LIMIT_EXCEEDED,
                () -> events(
                        new XmlStreams(XmlLimits.DEFAULTS.toBuilder()
                                .maxCharacters(3000)
                                .build()),
                        element));
    }

    /** The parser expands such content, up to 48 times, before a reader can count it. */
    @Test
    void read_contentOfAnEncodingAlgorithm_isRefusedBeforeItIsExpanded() throws XMLStreamException {
        byte[] bytes = booleans(1 << 20);
        XmlLimits limits = XmlLimits.DEFAULTS.toBuilder().maxCharacters(1000).build();
        assertThatThrownBy(() -> new XmlStreams(limits).read(Samples.element(bytes)))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContaining("maxCharacters 1000");
        assertThat(events(
                        new XmlStreams(limits.toBuilder().maxCharacters(12_481).build()),
                        Samples.element(booleans(260))))
                .isNotEmpty();
    }

    /** Returns an element with content of the algorithm "boolean". */
    private static byte[] booleans(int length) {
        byte[] start = HexFormat.of().parseHex("e0000001003c00618c17");
        return ByteBuffer.allocate(start.length + Integer.BYTES + length + 1)
                .put(start)
                .putInt(length - 259)
                .put(new byte[length])
                .put((byte) 0xff)
                .array();
    }

    @Test
    void read_truncatedFastInfoset_isPeerFault() {
        byte[] bytes = Samples.fastInfoset(Samples.ALL_KINDS);
        for (int length = 0; length < bytes.length; length++) {
            MessageElement cut = Samples.element(new byte[0]).withPayload(Payload.of(bytes, 0, length));
            assertThatThrownBy(() -> events(cut))
                    .as("truncated to %d of %d bytes", length, bytes.length)
                    .isInstanceOf(PeerFaultException.class);
        }
    }

    @Test
    void read_fastInfosetWithAFlippedBit_throwsOnlyPeerFaults() {
        byte[] bytes = Samples.fastInfoset(Samples.ALL_KINDS);
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertReadableOrPeerFault(flipped, "bit " + bit);
        }
    }

    @Test
    void read_mutatedFastInfoset_throwsOnlyPeerFaults() {
        long seed = TestSeed.next("XmlStreamsTest, mutations");
        Random random = new Random(seed);
        ByteMutator mutator = new ByteMutator(seed);
        for (int i = 0; i < 300; i++) {
            byte[] bytes = Samples.fastInfoset(Samples.randomDocument(random));
            for (int variant = 0; variant < 10; variant++) {
                assertReadableOrPeerFault(mutator.mutate(bytes), "seed " + seed + ", document " + i + "." + variant);
            }
        }
    }

    private static void assertReadableOrPeerFault(byte[] bytes, String description) {
        try {
            events(Samples.element(bytes));
        } catch (PeerFaultException e) {
            assertThat(e.code()).as(description).isIn(ErrorCode.MALFORMED_MESSAGE, ErrorCode.LIMIT_EXCEEDED);
        } catch (XMLStreamException | RuntimeException | Error e) {
            throw new AssertionError(description, e);
        }
    }

    // -- common parts

    private static void assertFails(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private static List<String> events(MessageElement element) throws XMLStreamException {
        return events(XmlStreams.DEFAULTS, element);
    }

    /** Returns the events of an element, one string per event, with adjacent text as one string. */
    private static List<String> events(XmlStreams streams, MessageElement element) throws XMLStreamException {
        XMLStreamReader reader = streams.read(element);
        assertThat(reader.getEventType()).isEqualTo(XMLStreamConstants.START_DOCUMENT);
        List<String> events = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        while (reader.hasNext()) {
            int event = reader.next();
            // A text may be split into several events.
            if (event == XMLStreamConstants.CHARACTERS || event == XMLStreamConstants.SPACE) {
                text.append(text(reader));
                continue;
            }
            if (text.length() > 0) {
                events.add(text.toString());
                text.setLength(0);
            }
            events.add(
                    switch (event) {
                        case XMLStreamConstants.START_ELEMENT -> startElement(reader);
                        case XMLStreamConstants.END_ELEMENT -> "</" + name(reader) + ">";
                        case XMLStreamConstants.CDATA -> "[" + text(reader) + "]";
                        case XMLStreamConstants.COMMENT -> "<!--" + text(reader) + "-->";
                        case XMLStreamConstants.PROCESSING_INSTRUCTION ->
                            "<?" + reader.getPITarget() + " " + reader.getPIData() + "?>";
                        case XMLStreamConstants.END_DOCUMENT -> "end";
                        default -> throw new AssertionError("event " + event);
                    });
        }
        return events;
    }

    private static String startElement(XMLStreamReader reader) {
        StringBuilder text = new StringBuilder("<").append(name(reader));
        for (int i = 0; i < reader.getNamespaceCount(); i++) {
            String prefix = reader.getNamespacePrefix(i);
            text.append(prefix == null ? " xmlns=" : " xmlns:" + prefix + "=").append(reader.getNamespaceURI(i));
        }
        for (int i = 0; i < reader.getAttributeCount(); i++) {
            text.append(" {").append(reader.getAttributeNamespace(i)).append('}');
            text.append(qualified(reader.getAttributePrefix(i), reader.getAttributeLocalName(i)));
            text.append('=').append(reader.getAttributeValue(i));
        }
        return text.append('>').toString();
    }

    private static String name(XMLStreamReader reader) {
        return "{" + reader.getNamespaceURI() + "}" + qualified(reader.getPrefix(), reader.getLocalName());
    }

    private static String qualified(String prefix, String localName) {
        return prefix.isEmpty() ? localName : prefix + ":" + localName;
    }

    private static String text(XMLStreamReader reader) {
        String text = reader.getText();
        assertThat(new String(reader.getTextCharacters(), reader.getTextStart(), reader.getTextLength()))
                .isEqualTo(text);
        return text;
    }
}

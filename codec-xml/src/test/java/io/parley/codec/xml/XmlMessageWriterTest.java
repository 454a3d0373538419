package io.parley.codec.xml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.MessageGenerator;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParserFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.XMLReader;
import org.xml.sax.ext.DefaultHandler2;

/** Tests the canonical form of written documents. */
final class XmlMessageWriterTest {
    @TempDir
    private Path directory;

    // -- golden bytes

    @Test
    void write_noElements() {
        assertThat(Documents.text(Message.EMPTY)).isEqualTo(Documents.HEAD + Documents.TAIL);
    }

    @Test
    void write_textAndOctets() {
        Message message = Message.of(
                MessageElement.ofText("A", "hi").withNamespace("jxta"), MessageElement.of("B", new byte[] {1, 2}));
        assertWritten(
                message,
                "<Element name=\"jxta:A\" mime_type=\"text/plain;charset=UTF-8\">hi</Element>"
                        + "<Element name=\"B\" mime_type=\"application/octet-stream\" encoding=\"base64\">AQI=</Element>");
    }

    @Test
    void write_emptyContents() {
        assertWritten(
                Message.builder().add("", "").add("", new byte[0]).build(),
                "<Element name=\"\" mime_type=\"text/plain;charset=UTF-8\"></Element>"
                        + "<Element name=\"\" mime_type=\"application/octet-stream\" encoding=\"base64\"></Element>");
    }

    @Test
    void write_characterData_escapesCharactersThatParsersChange() {
        assertWritten(
                Message.of("t", "<&>\"' \t\n\r\r\n]]>é\uD83D\uDE80\u0085\u2028 "),
                "<Element name=\"t\" mime_type=\"text/plain;charset=UTF-8\">&lt;&amp;&gt;\"' \t\n&#13;&#13;\n]]&gt;é"
                        + "\uD83D\uDE80\u0085\u2028 </Element>");
    }

    @Test
    void write_attributes_escapesCharactersThatParsersChange() {
        assertWritten(
                Message.of(MessageElement.ofText("<&>\"' \t\n\ré", "").withType("a/b; c=\"<&>'\"")),
                "<Element name=\"&lt;&amp;&gt;&quot;' &#9;&#10;&#13;é\" mime_type=\"a/b; c=&quot;&lt;&amp;&gt;'&quot;\""
                        + " encoding=\"base64\"></Element>");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
        ''  | a     | a
        ns  | a     | ns:a
        ns  | a:b   | ns:a:b
        ''  | a:b   | :a:b
        ''  | :b    | ::b
        ns  | ''    | ns:
        ''  | ''    | ''
        """)
    void write_name_joinsNamespaceAndName(String namespace, String name, String attribute) {
        Message message = Message.of(MessageElement.ofText(name, "").withNamespace(namespace));
        assertWritten(message, "<Element name=\"" + attribute + "\" mime_type=\"text/plain;charset=UTF-8\"></Element>");
        assertThat(Documents.decode(Documents.bytes(message))).isEqualTo(message);
    }

    // -- characters or octets

    @ParameterizedTest
    @ValueSource(strings = {"ISO-8859-1", "ISO8859_1", "windows-1252", "UTF-16", "UTF-16LE", "UTF-32", "Shift_JIS"})
    void write_textOfAnyCharset_isWrittenAsCharacters(String charset) {
        byte[] content = "abc <\u00A7>".getBytes(Charset.forName(charset));
        Message message =
                Message.of(MessageElement.of("t", content).withType("TEXT/plain; charset=\"" + charset + '"'));
        assertThat(Documents.text(message)).endsWith(">abc &lt;\u00A7&gt;</Element></Message>");
        assertThat(Documents.decode(Documents.bytes(message))).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
        text/plain;charset=UTF-8,       ff
        text/plain;charset=UTF-8,       c080
        text/plain;charset=UTF-8,       eda080
        text/plain;charset=UTF-8,       efbfbe
        text/plain;charset=UTF-8,       f4908080
        text/plain;charset=UTF-8,       61e282
        text/plain;charset=UTF-8,       6100
        text/plain,                     0b
        text/plain;charset=UTF-16,      feff
        text/plain;charset=UTF-16,      fffe6100
        text/plain;charset=UTF-16BE,    d8000061
        text/plain;charset=UTF-16BE,    ffff
        text/plain;charset=US-ASCII,    e9
        text/plain;charset=ISO-8859-1,  e901
        text/plain;charset=ISO-2022-JP, 1b284261
        text/plain;charset=no-such,     61
        text/plain;charset=,            61
        application/xml,                3c612f3e
        """)
    void write_bytesWithoutCharacterForm_areWrittenAsOctets(String type, String hex) {
        Message message = Message.of(
                MessageElement.of("b", java.util.HexFormat.of().parseHex(hex)).withType(type));
        assertThat(Documents.text(message)).contains("encoding=\"base64\"");
        assertThat(Documents.decode(Documents.bytes(message))).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
        text/plain;charset=UTF-8,       61
        text/plain;charset=UTF-8,       c280
        text/plain;charset=UTF-8,       efbbbf61
        text/plain;charset=UTF-8,       efbfbd
        text/plain;charset=UTF-8,       f48fbfbd7f
        text/plain,                     c3a9
        text/plain;charset=US-ASCII,    617f0d0a
        text/plain;charset=ISO-8859-1,  e980
        """)
    void write_bytesWithCharacterForm_areWrittenAsCharacters(String type, String hex) {
        Message message = Message.of(
                MessageElement.of("b", java.util.HexFormat.of().parseHex(hex)).withType(type));
        assertThat(Documents.text(message)).doesNotContain("encoding=\"base64\"");
        assertThat(Documents.decode(Documents.bytes(message))).isEqualTo(message);
    }

    /** The writer tests several bytes at a time. It must find a special character at each offset. */
    @ParameterizedTest
    @ValueSource(
            strings = {"<", ">", "&", "\r", "\n", "\t", "é", "\uD83D\uDE80", "\u007F", "\u001F", "\u0000", "\uFFFE"})
    void write_specialCharacterAtEachOffset_isFound(String special) {
        boolean legal = special.charAt(0) > '\u001F' && special.charAt(0) != '\uFFFE' || "\t\n\r".contains(special);
        for (int length = 0; length < 20; length++) {
            for (int before = 0; before <= length; before++) {
                String text = "x".repeat(before) + special + "~".repeat(length - before);
                Message message = Message.of("t", text);
                String document = Documents.text(message);
                assertThat(document.contains("base64")).as(text).isEqualTo(!legal);
                assertThat(Documents.decode(document)).isEqualTo(message);
            }
        }
    }

    @Test
    void write_largeTextOfAnotherCharset_keepsSurrogatePairs() {
        String text = "a\uD83D\uDE80".repeat(50_000);
        Message message = Message.of(MessageElement.ofText("t", text, StandardCharsets.UTF_16LE));
        assertThat(Documents.text(message)).contains(">" + text + "<");
        assertThat(Documents.decode(Documents.bytes(message))).isEqualTo(message);
    }

    @Test
    void write_textFile_isWrittenAsOctets() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "text");
        Message message = Message.of(MessageElement.ofFile("f", file).withType("text/plain"));
        assertWritten(message, "<Element name=\"f\" mime_type=\"text/plain\" encoding=\"base64\">dGV4dA==</Element>");
    }

    // -- rejected messages

    @ParameterizedTest
    @CsvSource(textBlock = """
        0,    U+0000
        1F,   U+001F
        FFFE, U+FFFE
        D83D, U+D83D
        DE80, U+DE80
        """)
    void write_nameWithoutXmlForm_isRejectedWithItsCharacter(String hex, String expected) {
        char invalid = (char) Integer.parseInt(hex, 16);
        for (Message message : new Message[] {
            Message.of("a\uD83D\uDE80" + invalid, ""),
            Message.of(MessageElement.ofText("", "").withNamespace("é" + invalid))
        }) {
            assertThatThrownBy(() -> Documents.bytes(message))
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_ENCODABLE))
                    .hasMessageContaining(expected);
        }
    }

    @Test
    void write_namespaceWithColon_isRejected() {
        Message message = Message.of(MessageElement.ofText("n", "").withNamespace("a:b"));
        assertThatThrownBy(() -> Documents.bytes(message))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_ENCODABLE))
                .hasMessageContaining("a:b")
                .hasMessageContaining("no colon");
    }

    @Test
    void write_overTheLimit_allocatesNoMemory() {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        Message message = Message.of("n", new byte[1 << 20]);
        assertThatThrownBy(() -> Documents.session(MessageLimits.DEFAULTS.toBuilder()
                                .maxMessageBytes(1 << 20)
                                .build())
                        .encode(message, allocator))
                .hasMessageContaining("maxMessageBytes 1048576");
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void write_anyMessage_isOneDirectBufferOfTheExpectedSize() {
        MessageGenerator messages = new MessageGenerator(TestSeed.next("XmlMessageWriterTest, sizes"), false);
        for (int i = 0; i < 100; i++) {
            Message message = messages.next(10);
            ByteBuf encoded =
                    Documents.session(MessageLimits.DEFAULTS).encode(message, UnpooledByteBufAllocator.DEFAULT);
            try {
                assertThat(encoded).isNotInstanceOf(CompositeByteBuf.class);
                assertThat(encoded.isDirect()).isTrue();
                assertThat(encoded.capacity()).isEqualTo(encoded.readableBytes());
                assertThat(Documents.session(MessageLimits.DEFAULTS).encodedSize(message))
                        .isEqualTo(encoded.readableBytes());
            } finally {
                encoded.release();
            }
        }
    }

    // -- validity

    @Test
    void write_anyMessage_isValidByTheDtd() throws Exception {
        long seed = TestSeed.next("XmlMessageWriterTest, validity");
        MessageGenerator messages = new MessageGenerator(seed, false);
        for (int i = 0; i < 400; i++) {
            validate(Documents.bytes(messages.next(6)));
        }
        byte[] all = new byte[128];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        new Random(seed).nextBytes(all);
        validate(Documents.bytes(Message.builder().add("all", all).build()));
    }

    @Test
    void validator_missingAttribute_fails() {
        // Shows that the test above can fail.
        byte[] invalid =
                (Documents.HEAD + "<Element name=\"a\"></Element>" + Documents.TAIL).getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> validate(invalid))
                .isInstanceOf(SAXParseException.class)
                .hasMessageContaining("mime_type");
    }

    /** Validates a document with the DTD of the tests, because the document refers to none. */
    private static void validate(byte[] document) throws IOException, SAXException, ParserConfigurationException {
        SAXParserFactory factory = SAXParserFactory.newDefaultInstance();
        factory.setValidating(true);
        XMLReader reader = factory.newSAXParser().getXMLReader();
        DefaultHandler2 handler = new DefaultHandler2() {
            @Override
            public InputSource getExternalSubset(String name, String baseUri) {
                assertThat(name).isEqualTo("Message");
                return new InputSource(XmlMessageWriterTest.class.getResourceAsStream("message.dtd"));
            }

            @Override
            public void error(SAXParseException e) throws SAXException {
                throw e;
            }
        };
        reader.setEntityResolver(handler);
        reader.setErrorHandler(handler);
        reader.setContentHandler(handler);
        reader.parse(new InputSource(new ByteArrayInputStream(document)));
    }

    private static void assertWritten(Message message, String elements) {
        assertThat(Documents.text(message)).isEqualTo(Documents.HEAD + elements + Documents.TAIL);
    }
}

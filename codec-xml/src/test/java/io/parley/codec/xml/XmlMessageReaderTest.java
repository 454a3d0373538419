package io.parley.codec.xml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which documents are accepted, and the exceptions for the others. */
final class XmlMessageReaderTest {
    private static final Message HI =
            Message.of(MessageElement.ofText("A", "hi").withNamespace("app"));

    // -- accepted documents

    /** The layout of the sample in the specification, including its white space. */
    @Test
    void read_sampleOfTheSpecification() {
        Message message = Documents.decode("""
            <?xml version="1.0"?> <!DOCTYPE Message>
            <Message version="0">
              <Element name="ns:name" mime_type="text/plain">text</Element>
              <Element name="stuff" mime_type="application/octet-stream" encoding="base64">AAECAw==</Element>
            </Message>
            """);
        assertThat(message)
                .isEqualTo(Message.of(
                        MessageElement.ofText("name", "text")
                                .withNamespace("ns")
                                .withType("text/plain"),
                        MessageElement.of("stuff", new byte[] {0, 1, 2, 3})));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Message version='0'><Element name='app:A' mime_type='text/plain;charset=UTF-8'>hi</Element></Message>",
                "<Message version='0'><Element mime_type='text/plain;charset=UTF-8' name='app:A'>hi</Element></Message>",
                "<!-- a --><?b c?><Message x:y='1' xmlns='urn:z' version='0'><?d?><!-- e --><Element id='1'"
                        + " name='app:A' mime_type='text/plain;charset=UTF-8' f='2'>h<!-- g -->i<?h?></Element>"
                        + "</Message><!-- i --><?j?>\n",
                "<!DOCTYPE Message []>\n<Message version='0'><Element name='app:A'"
                        + " mime_type='text/plain;charset=UTF-8'><![CDATA[h]]>i</Element></Message>",
                "<Message version='&#48;'>\n\t<![CDATA[ ]]>&#32;<Element name='a&#x70;p:A'"
                        + " mime_type='text/plain;charset=UTF-8'>&#104;&#x69;</Element >\r\n</Message >\r\n",
                "<?xml version='1.0' encoding='us-ascii' standalone='yes'?><Message version='0'>"
                        + "<Element name='app:A' mime_type='text/plain;charset=UTF-8' encoding='base64'>aGk=</Element></Message>"
            })
    void read_equivalentDocuments(String document) {
        assertThat(Documents.decode(document)).isEqualTo(HI);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "ISO-8859-1", "windows-1252"})
    void read_anyDeclaredEncoding(String encoding) {
        String document = "<?xml version='1.0' encoding='" + encoding + "'?><Message version='0'>"
                + "<Element name='é' mime_type='text/plain;charset=UTF-8'>ü</Element></Message>";
        assertThat(Documents.decode(document.getBytes(Charset.forName(encoding))))
                .isEqualTo(Message.of("é", "ü"));
    }

    @Test
    void read_byteOrderMarks() {
        String document =
                "<Message version='0'><Element name='é' mime_type='text/plain;charset=UTF-8'>ü</Element></Message>";
        Message expected = Message.of("é", "ü");
        assertThat(Documents.decode("\uFEFF" + document)).isEqualTo(expected);
        assertThat(Documents.decode(("\uFEFF" + document).getBytes(StandardCharsets.UTF_16LE)))
                .isEqualTo(expected);
        assertThat(Documents.decode(("\uFEFF" + document).getBytes(StandardCharsets.UTF_16BE)))
                .isEqualTo(expected);
    }

    @Test
    void read_utf16WithoutMarkAndDeclaration_isMalformed() {
        for (Charset charset : new Charset[] {StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE}) {
            byte[] document = "<Message version='0'></Message>".getBytes(charset);
            assertThatThrownBy(() -> Documents.decode(document))
                    .isInstanceOfSatisfying(
                            PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE));
        }
    }

    @Test
    void read_missingType_isOctetStream() {
        assertThat(Documents.decode("<Message version='0'><Element name='a'>é</Element><Element name='b'/></Message>"))
                .isEqualTo(Message.of(
                        MessageElement.of("a", "é".getBytes(StandardCharsets.UTF_8)),
                        MessageElement.of("b", new byte[0])));
    }

    @Test
    void read_whiteSpaceInText_isText() {
        assertThat(Documents.decode(
                        "<Message version='0'><Element name='a' mime_type='text/plain;charset=UTF-8'> \t\n x \r\n"
                                + "&#13;</Element></Message>"))
                .isEqualTo(Message.of("a", " \t\n x \n\r"));
    }

    @Test
    void read_whiteSpaceInBase64_isSkipped() {
        assertThat(Documents.decode(
                        "<Message version='0'><Element name='a' encoding='base64'>\n AA\tEC\r\nAA\n=<!-- -->= \n"
                                + "</Element></Message>"))
                .isEqualTo(Message.of("a", new byte[] {0, 1, 2, 0}));
    }

    @Test
    void read_charactersOfAnotherType_areEncodedInItsCharset() {
        assertThat(Documents.decode(
                        "<Message version='0'><Element name='a' mime_type='text/x;charset=UTF-16LE'>\uD83D\uDE80&#x1F680;é"
                                + "</Element><Element name='b' mime_type='application/json'>é</Element></Message>"))
                .isEqualTo(Message.of(
                        MessageElement.of("a", "\uD83D\uDE80\uD83D\uDE80é".getBytes(StandardCharsets.UTF_16LE))
                                .withType("text/x;charset=UTF-16LE"),
                        MessageElement.of("b", "é".getBytes(StandardCharsets.UTF_8))
                                .withType("application/json")));
    }

    /** The parser reports long text in parts. No character may be lost at their boundaries. */
    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16BE", "ISO-2022-JP", "GB18030"})
    void read_longText_isCompleteAcrossParts(String charset) {
        String characters = charset.equals("ISO-2022-JP") ? "x日本" : "xé日\uD83D\uDE80";
        for (int shift = 0; shift < 4; shift++) {
            byte[] content = ("y".repeat(shift) + characters.repeat(5000)).getBytes(Charset.forName(charset));
            Message message = Message.of(MessageElement.of("t", content).withType("text/plain;charset=" + charset));
            assertThat(Documents.decode(Documents.bytes(message))).isEqualTo(message);
        }
    }

    @Test
    void read_elementName_isSplitAtTheFirstColon() {
        assertThat(Documents.decode("<Message version='0'><Element name='a:b:c'/><Element name=':d'/></Message>"))
                .isEqualTo(Message.of(
                        MessageElement.of("b:c", new byte[0]).withNamespace("a"), MessageElement.of("d", new byte[0])));
    }

    @Test
    void read_directBuffer_doesNotChangeIt() {
        byte[] content = new byte[300_000];
        Message message = Message.of("large", content);
        byte[] document = Documents.bytes(message);
        ByteBuf buffer =
                Unpooled.directBuffer().writeZero(3).writeBytes(document).writeZero(3);
        buffer.setIndex(3, 3 + document.length);
        try {
            assertThat(Documents.session(MessageLimits.DEFAULTS).decode(buffer)).isEqualTo(message);
        } finally {
            buffer.release();
        }
    }

    // -- rejected documents

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        <Message/>                                                      | version: none (expected: 0)
        <Message version='1'/>                                          | version: '1' (expected: 0)
        <message version='0'/>                                          | element 'message' (expected: Message)
        <x:Message version='0'/>                                        | element 'x:Message' (expected: Message)
        <Message version='0'><Elem/></Message>                          | element 'Elem' (expected: Element)
        <Message version='0'><Element/></Message>                       | attribute name: missing
        <Message version='0'><Element name='a' encoding='hex'/></Message> | attribute encoding: 'hex' (expected: base64
        <Message version='0'><Element name='a' encoding=''/></Message>  | attribute encoding: '' (expected: base64
        <Message version='0'><Element name='a' mime_type='x'/></Message> | attribute mime_type: type: 'x'
        <Message version='0'><Element name='a' mime_type=''/></Message> | attribute mime_type: type: ''
        <Message version='0'><Element name='a' mime_type='a/b;charset=q'/></Message> | unknown charset in 'a/b;charset=q'
        <Message version='0'><Element name='a' mime_type='a/b;charset=x-JISAutoDetect'/></Message> | unknown charset
        <Message version='0'><Element name='a' mime_type='a/b;charset=US-ASCII'>é</Element></Message> | US-ASCII
        <Message version='0'><Element name='a'><b/></Element></Message> | element 'b' in Element
        <Message version='0'><Element name='a'><Element name='b'/></Element></Message> | element 'Element' in Element
        <Message version='0'>text</Message>                             | text between elements
        <Message version='0'><![CDATA[x]]></Message>                    | text between elements
        <Message version='0'/>text                                      | epilog
        <Message version='0'/><Message version='0'/>                    | root
        text<Message version='0'/>                                      | prolog
        <Message version='0'>                                           | EOF
        <Message version='0'><Element name='a' name='b'/></Message>     | name
        <Message version='0'><Element name='a'>&nbsp;</Element></Message> | nbsp
        <Message version='0'><Element name='&lt;&auml;'/></Message>     | auml
        <Message version='0'><Element name='a'>&#0;</Element></Message> | null character
        <Message version='0'><Element name='a'>&#xFFFE;</Element></Message> | 0xfffe
        <?xml version='1.1'?><Message version='0'/>                     | XML version: 1.1
        <?xml version='1.0' encoding='no-such'?><Message version='0'/>  | no-such
        <!DOCTYPE Message SYSTEM 'message.dtd'><Message version='0'/>   | DOCTYPE: has an external id
        <!DOCTYPE Message PUBLIC 'a' 'b'><Message version='0'/>         | DOCTYPE: has an external id
        <!DOCTYPE Message [<!ELEMENT Message ANY>]><Message version='0'/> | DOCTYPE: has an internal subset
        <!DOCTYPE Message><!DOCTYPE Message><Message version='0'/>      | DOCTYPE
        """)
    void read_malformedDocument_namesPositionAndFault(String document, String expected) {
        assertThatThrownBy(() -> Documents.decode(document))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                .hasMessageStartingWith("XML message")
                .hasMessageContaining(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "A",
                "AA",
                "AAA",
                "AAAAA",
                "=",
                "A===",
                "AA=",
                "AA=A",
                "AAA==",
                "AA==AA==",
                "AA==A",
                "AA-_",
                "é",
                "AAAA="
            })
    void read_invalidBase64_isMalformed(String base64) {
        assertThatThrownBy(() -> Documents.decode(
                        "<Message version='0'><Element name='a' encoding='base64'>" + base64 + "</Element></Message>"))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                .hasMessageStartingWith("XML message, line 1, column ")
                .hasMessageContaining("element content: ");
    }
}

package io.parley.codec.xml.fastinfoset;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.xml.fastinfoset.sax.SAXDocumentSerializer;
import com.sun.xml.fastinfoset.stax.StAXDocumentSerializer;
import io.netty.buffer.ByteBufUtil;
import io.parley.codec.CodecSession;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.MessageGenerator;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import javax.xml.parsers.SAXParser;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xml.sax.InputSource;
import org.xml.sax.ext.DefaultHandler2;

/** Tests the interoperability with the Fast Infoset library in both directions. */
final class FastInfosetLibraryTest {

    // -- the parser of the library reads documents of the codec

    @Test
    void document_equalsTheInfosetOfTheXml() throws Exception {
        long seed = TestSeed.next("FastInfosetLibraryTest, encoded documents");
        MessageGenerator messages = new MessageGenerator(seed, false);
        for (int i = 0; i < 180; i++) {
            Message message = messages.next(12);
            assertThat(Infoset.ofFastInfoset(Sessions.encode(Sessions.open(), message)))
                    .as("seed %d, message %d", seed, i)
                    .isEqualTo(Infoset.ofXml(Sessions.xml(message)));
        }
    }

    @Test
    void documentAfterARestart_equalsTheInfosetOfTheXml() throws Exception {
        CodecSession session = Sessions.open();
        int documents = 0;
        for (int i = 0; documents < 3; i++) {
            // Each value occurs twice, so that the tables fill and must be emptied.
            Message message = Message.of(MessageElement.ofText("name" + i / 2, "x".repeat(200) + i / 2)
                    .withType("text/plain; n=" + i / 2));
            byte[] encoded = Sessions.encode(session, message);
            if (Sessions.isDocument(encoded)) {
                documents++;
                assertThat(Infoset.ofFastInfoset(encoded)).isEqualTo(Infoset.ofXml(Sessions.xml(message)));
            }
            assertThat(i).as("messages until the third document").isLessThan(10_000);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 9, 64, 65, 255, 258, 259, 264, 265, 320, 321, 2000})
    void stringOfEachLengthForm_isReadByTheLibrary(int length) throws Exception {
        String text = "é".repeat(length / 2) + "x".repeat(length % 2);
        Message message = Message.of(
                MessageElement.ofText(text, text).withNamespace("n"),
                MessageElement.ofText(text, text).withNamespace("n"),
                MessageElement.ofText(text, text).withNamespace("n"),
                MessageElement.of(text, text.getBytes(StandardCharsets.UTF_8)),
                MessageElement.of(text, text.getBytes(StandardCharsets.UTF_8)),
                MessageElement.of(text, text.getBytes(StandardCharsets.UTF_8)));
        assertThat(Infoset.ofFastInfoset(Sessions.encode(Sessions.open(), message)))
                .isEqualTo(Infoset.ofXml(Sessions.xml(message)));
    }

    @Test
    void indexOfEachForm_isReadByTheLibrary() throws Exception {
        Message.Builder message = Message.builder();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 400; i++) {
                message.add("name" + i, "content " + i);
            }
        }
        Message built = message.build();
        byte[] encoded = Sessions.encode(Sessions.open(), built);
        assertThat(Infoset.ofFastInfoset(encoded)).isEqualTo(Infoset.ofXml(Sessions.xml(built)));
        assertThat(Sessions.decode(Sessions.open(), encoded)).isEqualTo(built);
    }

    // -- the codec reads documents of the library's serializers

    @Test
    void serializedBySax_isRead() throws Exception {
        assertReadAsSerialized(serializer -> {});
    }

    @Test
    void serializedBySaxInUtf16_isRead() throws Exception {
        assertReadAsSerialized(serializer -> serializer.setCharacterEncodingScheme("UTF-16BE"));
    }

    @Test
    void serializedBySaxWithoutTables_isRead() throws Exception {
        assertReadAsSerialized(serializer -> {
            serializer.setMaxAttributeValueSize(0);
            serializer.setMaxCharacterContentChunkSize(0);
        });
    }

    private static void assertReadAsSerialized(Consumer<SAXDocumentSerializer> settings) throws Exception {
        long seed = TestSeed.next("FastInfosetLibraryTest, SAX serializer");
        MessageGenerator messages = new MessageGenerator(seed, false);
        for (int i = 0; i < 180; i++) {
            Message message = messages.next(12);
            byte[] document = bySax(Sessions.xml(message), settings);
            assertThat(Sessions.decode(Sessions.open(), document))
                    .as("seed %d, message %d", seed, i)
                    .isEqualTo(message);
        }
    }

    @Test
    void serializedByStax_isRead() throws Exception {
        long seed = TestSeed.next("FastInfosetLibraryTest, StAX serializer");
        MessageGenerator messages = new MessageGenerator(seed, false);
        for (int i = 0; i < 180; i++) {
            Message message = messages.next(12);
            assertThat(Sessions.decode(Sessions.open(), byStax(Sessions.xml(message))))
                    .as("seed %d, message %d", seed, i)
                    .isEqualTo(message);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<!DOCTYPE Message><Message version='0'><Element name='a:b' mime_type='text/plain'>hi</Element></Message>",
                "<!--c--><?p i?><Message version='0'> \n <Element name='a:b' mime_type='text/plain'>hi</Element>"
                        + "\t<!--c--><?p i?></Message><!--c--><?p?>",
                "<Message version='0'><Element name='a:b' mime_type='text/plain'>h<!--c-->i<?p i?></Element></Message>",
                "<Message version='0'><Element name='a:b' mime_type='text/plain'><![CDATA[h]]>i</Element></Message>",
                "<Message version='0'><Element mime_type='text/plain' name='a:b'><![CDATA[hi]]></Element></Message>",
                "<Message version='0'><Element name='a:b' mime_type='text/plain' encoding='base64'> aG\nk= </Element>"
                        + "</Message>",
                "<Message version='0' more='x'><Element name='a:b' mime_type='text/plain' x='y'>hi</Element></Message>",
                "<Message xmlns:p='urn:p' version='0' p:version='1'><Element xmlns:q='urn:p' name='a:b' "
                        + "mime_type='text/plain' q:name='z'>hi</Element></Message>",
                "<Message xmlns='urn:p' version='0'><Element name='a:b' mime_type='text/plain'>hi</Element></Message>",
                "<?xml version='1.0' encoding='UTF-8' standalone='yes'?><Message version='0'><Element name='a:b' "
                        + "mime_type='text/plain'>hi</Element></Message>"
            })
    void equivalentDocument_isRead(String xml) throws Exception {
        Message expected =
                Message.of(MessageElement.ofText("b", "hi").withNamespace("a").withType("text/plain"));
        byte[] bytes = xml.getBytes(StandardCharsets.UTF_8);
        assertThat(Sessions.decode(Sessions.open(), bySax(bytes, serializer -> {})))
                .isEqualTo(expected);
        byte[] declared = bySax(bytes, serializer -> {});
        assertThat(Sessions.decode(
                        Sessions.open(), join("<?xml version='1.0' encoding='finf' standalone='no'?>", declared)))
                .isEqualTo(expected);
    }

    @Test
    void tablesOfALibraryDocument_areContinued() throws Exception {
        Message message = Message.of(MessageElement.ofText("b", "hi").withNamespace("a"));
        CodecSession session = Sessions.open();
        Sessions.decode(session, bySax(Sessions.xml(message), serializer -> {}));
        // Message with version 0 by the first entries; Element by its name, its type, and the first chunk as its
        // content.
        byte[] next = ByteBufUtil.decodeHexDump(
                "00" + "40" + "0080" + "f0" + "41" + "0181" + "0282" + "f0" + "a0" + "ff" + "f0");
        assertThat(Sessions.decode(session, next)).isEqualTo(message);
    }

    private static byte[] join(String declaration, byte[] document) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        joined.writeBytes(declaration.getBytes(StandardCharsets.US_ASCII));
        joined.writeBytes(document);
        return joined.toByteArray();
    }

    static byte[] bySax(byte[] xml, Consumer<SAXDocumentSerializer> settings) throws Exception {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        SAXDocumentSerializer serializer = new SAXDocumentSerializer();
        settings.accept(serializer);
        serializer.setOutputStream(target);
        SAXParserFactory factory = SAXParserFactory.newDefaultInstance();
        factory.setNamespaceAware(true);
        SAXParser parser = factory.newSAXParser();
        parser.setProperty("http://xml.org/sax/properties/lexical-handler", serializer);
        parser.getXMLReader().setContentHandler(serializer);
        parser.getXMLReader().setEntityResolver(new DefaultHandler2());
        parser.getXMLReader().parse(new InputSource(new ByteArrayInputStream(xml)));
        return target.toByteArray();
    }

    private static byte[] byStax(byte[] xml) throws XMLStreamException {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        StAXDocumentSerializer serializer = new StAXDocumentSerializer(target);
        XMLStreamReader reader =
                XMLInputFactory.newDefaultFactory().createXMLStreamReader(new ByteArrayInputStream(xml));
        serializer.writeStartDocument();
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.START_ELEMENT -> {
                    serializer.writeStartElement(reader.getLocalName());
                    for (int i = 0; i < reader.getAttributeCount(); i++) {
                        serializer.writeAttribute(reader.getAttributeLocalName(i), reader.getAttributeValue(i));
                    }
                }
                case XMLStreamConstants.CHARACTERS -> serializer.writeCharacters(reader.getText());
                case XMLStreamConstants.END_ELEMENT -> serializer.writeEndElement();
                default ->
                    assertThat(reader.getEventType()).isIn(XMLStreamConstants.DTD, XMLStreamConstants.END_DOCUMENT);
            }
        }
        serializer.writeEndDocument();
        serializer.close();
        return target.toByteArray();
    }
}

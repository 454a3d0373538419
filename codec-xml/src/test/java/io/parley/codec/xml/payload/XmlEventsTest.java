package io.parley.codec.xml.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import io.parley.testkit.TestSeed;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.xml.parsers.SAXParserFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.XMLReader;
import org.xml.sax.ext.DefaultHandler2;
import org.xml.sax.helpers.DefaultHandler;

/** Tests elements as SAX events against the parser of the JDK. */
final class XmlEventsTest {
    @ParameterizedTest
    @EnumSource
    void read_documents_reportsTheEventsOfTheJdkParser(XmlForm form) throws Exception {
        for (String document : Samples.DOCUMENTS) {
            assertSameEvents(form, document);
        }
    }

    @Test
    void read_randomDocuments_reportsTheEventsOfTheJdkParser() throws Exception {
        Random random = TestSeed.random("XmlEventsTest, random documents");
        for (int i = 0; i < 100; i++) {
            String document = Samples.randomDocument(random);
            assertSameEvents(XmlForm.TEXT, document);
            assertSameEvents(XmlForm.FAST_INFOSET, document);
        }
    }

    private static void assertSameEvents(XmlForm form, String document) throws Exception {
        Recorder expected = new Recorder();
        SAXParserFactory factory = SAXParserFactory.newDefaultInstance();
        factory.setNamespaceAware(true);
        XMLReader parser = factory.newSAXParser().getXMLReader();
        parser.setContentHandler(expected);
        parser.setProperty("http://xml.org/sax/properties/lexical-handler", expected);
        parser.parse(new InputSource(new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8))));
        Recorder actual = new Recorder();
        XmlEvents.DEFAULTS.read(Samples.element(form, document), actual);
        assertThat(actual.events).as(document).isEqualTo(expected.events).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void read_handlerWithoutLexicalEvents_receivesTheOthers(XmlForm form) throws SAXException {
        StringBuilder text = new StringBuilder();
        XmlEvents.DEFAULTS.read(Samples.element(form, "<a>b<!--c--><![CDATA[d]]></a>"), new DefaultHandler() {
            @Override
            public void characters(char[] characters, int start, int length) {
                text.append(characters, start, length);
            }
        });
        assertThat(text).hasToString("bd");
    }

    @ParameterizedTest
    @EnumSource
    void read_handlerThatThrows_failsWithItsException(XmlForm form) {
        SAXException failure = new SAXException("failure");
        assertThatThrownBy(() -> XmlEvents.DEFAULTS.read(Samples.element(form, "<a/>"), new DefaultHandler() {
                    @Override
                    public void startElement(String uri, String localName, String name, Attributes attributes)
                            throws SAXException {
                        throw failure;
                    }
                }))
                .isSameAs(failure);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"<a>", "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><a>&e;</a>"})
    void read_malformed_isPeerFault(String document) {
        MessageElement element = Samples.textElement(document);
        assertThatThrownBy(() -> XmlEvents.DEFAULTS.read(element, new DefaultHandler()))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE));
    }

    /** Records all events, with adjacent text as one event. */
    private static final class Recorder extends DefaultHandler2 {
        private final List<String> events = new ArrayList<>();
        private final StringBuilder text = new StringBuilder();

        private void record(String event) {
            if (text.length() > 0) {
                events.add(text.toString());
                text.setLength(0);
            }
            events.add(event);
        }

        @Override
        public void startDocument() {
            record("start");
        }

        @Override
        public void endDocument() {
            record("end");
        }

        @Override
        public void startPrefixMapping(String prefix, String uri) {
            record("map " + prefix + "=" + uri);
        }

        @Override
        public void endPrefixMapping(String prefix) {
            record("unmap");
        }

        @Override
        public void startElement(String uri, String localName, String name, Attributes attributes) {
            StringBuilder start = new StringBuilder("<{" + uri + "}" + localName + "|" + name);
            for (int i = 0; i < attributes.getLength(); i++) {
                start.append(" {").append(attributes.getURI(i)).append('}').append(attributes.getLocalName(i));
                start.append('|').append(attributes.getQName(i)).append('=').append(attributes.getValue(i));
            }
            record(start.toString());
        }

        @Override
        public void endElement(String uri, String localName, String name) {
            record("</{" + uri + "}" + localName + "|" + name);
        }

        @Override
        public void characters(char[] characters, int start, int length) {
            text.append(characters, start, length);
        }

        @Override
        public void processingInstruction(String target, String data) {
            record("<?" + target + " " + data);
        }

        @Override
        public void comment(char[] characters, int start, int length) {
            record("<!--" + new String(characters, start, length));
        }

        @Override
        public void startCDATA() {
            record("[");
        }

        @Override
        public void endCDATA() {
            record("]");
        }
    }
}

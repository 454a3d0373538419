package io.parley.codec.xml.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.xml.parsers.SAXParserFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.XMLReader;
import org.xml.sax.ext.DefaultHandler2;
import org.xml.sax.helpers.DefaultHandler;

final class XmlEventsTest {
    @ParameterizedTest
    @EnumSource
    void read_documents_tellsWhatTheJdksParserTells(XmlForm form) throws Exception {
        for (String document : Samples.DOCUMENTS) {
            assertTellsTheSame(form, document);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void read_randomDocuments_tellsWhatTheJdksParserTells(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            String document = Samples.randomDocument(random);
            assertTellsTheSame(XmlForm.TEXT, document);
            assertTellsTheSame(XmlForm.FAST_INFOSET, document);
        }
    }

    private static void assertTellsTheSame(XmlForm form, String document) throws Exception {
        Recorder expected = new Recorder();
        SAXParserFactory factory = SAXParserFactory.newDefaultInstance();
        factory.setNamespaceAware(true);
        XMLReader parser = factory.newSAXParser().getXMLReader();
        parser.setContentHandler(expected);
        parser.setProperty("http://xml.org/sax/properties/lexical-handler", expected);
        parser.parse(new InputSource(new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8))));
        Recorder told = new Recorder();
        XmlEvents.DEFAULTS.read(Samples.element(form, document), told);
        assertThat(told.heard).as(document).isEqualTo(expected.heard).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void read_handlerWithoutInterestInComments_hearsTheRest(XmlForm form) throws SAXException {
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
    void read_handlerThatGivesUp_isHeard(XmlForm form) {
        SAXException enough = new SAXException("enough");
        assertThatThrownBy(() -> XmlEvents.DEFAULTS.read(Samples.element(form, "<a/>"), new DefaultHandler() {
                    @Override
                    public void startElement(String uri, String localName, String name, Attributes attributes)
                            throws SAXException {
                        throw enough;
                    }
                }))
                .isSameAs(enough);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"<a>", "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><a>&e;</a>"})
    void read_malformed_isThePeersFault(String document) {
        MessageElement element = Samples.textElement(document);
        assertThatThrownBy(() -> XmlEvents.DEFAULTS.read(element, new DefaultHandler()))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE));
    }

    /** All that is told, with text in one piece. */
    private static final class Recorder extends DefaultHandler2 {
        private final List<String> heard = new ArrayList<>();
        private final StringBuilder text = new StringBuilder();

        private void hear(String what) {
            if (text.length() > 0) {
                heard.add(text.toString());
                text.setLength(0);
            }
            heard.add(what);
        }

        @Override
        public void startDocument() {
            hear("start");
        }

        @Override
        public void endDocument() {
            hear("end");
        }

        @Override
        public void startPrefixMapping(String prefix, String uri) {
            hear("map " + prefix + "=" + uri);
        }

        @Override
        public void endPrefixMapping(String prefix) {
            hear("unmap");
        }

        @Override
        public void startElement(String uri, String localName, String name, Attributes attributes) {
            StringBuilder start = new StringBuilder("<{" + uri + "}" + localName + "|" + name);
            for (int i = 0; i < attributes.getLength(); i++) {
                start.append(" {").append(attributes.getURI(i)).append('}').append(attributes.getLocalName(i));
                start.append('|').append(attributes.getQName(i)).append('=').append(attributes.getValue(i));
            }
            hear(start.toString());
        }

        @Override
        public void endElement(String uri, String localName, String name) {
            hear("</{" + uri + "}" + localName + "|" + name);
        }

        @Override
        public void characters(char[] characters, int start, int length) {
            text.append(characters, start, length);
        }

        @Override
        public void processingInstruction(String target, String data) {
            hear("<?" + target + " " + data);
        }

        @Override
        public void comment(char[] characters, int start, int length) {
            hear("<!--" + new String(characters, start, length));
        }

        @Override
        public void startCDATA() {
            hear("[");
        }

        @Override
        public void endCDATA() {
            hear("]");
        }
    }
}

package io.parley.codec.xml.fastinfoset;

import com.sun.xml.fastinfoset.sax.SAXDocumentParser;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import javax.xml.parsers.SAXParserFactory;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/** The items of a document as a list for comparison: tags with sorted attributes, and runs of characters. */
final class Infoset extends DefaultHandler {
    private final List<String> items = new ArrayList<>();
    private final StringBuilder characters = new StringBuilder();

    private Infoset() {}

    /** Returns the items that the parser of the JDK reports. */
    static List<String> ofXml(byte[] document) throws Exception {
        Infoset infoset = new Infoset();
        SAXParserFactory.newDefaultInstance().newSAXParser().parse(new ByteArrayInputStream(document), infoset);
        return infoset.items;
    }

    /** Returns the items that the parser of the Fast Infoset library reports. */
    static List<String> ofFastInfoset(byte[] document) throws Exception {
        Infoset infoset = new Infoset();
        SAXDocumentParser parser = new SAXDocumentParser();
        parser.setContentHandler(infoset);
        parser.parse(new InputSource(new ByteArrayInputStream(document)));
        return infoset.items;
    }

    @Override
    public void startElement(String uri, String localName, String name, Attributes attributes) {
        flush();
        TreeMap<String, String> sorted = new TreeMap<>();
        for (int i = 0; i < attributes.getLength(); i++) {
            sorted.put(attributes.getQName(i), attributes.getValue(i));
        }
        items.add("<" + name + sorted);
    }

    @Override
    public void endElement(String uri, String localName, String name) {
        flush();
        items.add("/" + name);
    }

    @Override
    public void characters(char[] chars, int start, int length) {
        characters.append(chars, start, length);
    }

    @Override
    public void endDocument() throws SAXException {
        flush();
    }

    private void flush() {
        if (!characters.isEmpty()) {
            items.add("\"" + characters);
            characters.setLength(0);
        }
    }
}

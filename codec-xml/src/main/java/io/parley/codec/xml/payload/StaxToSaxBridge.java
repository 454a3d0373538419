package io.parley.codec.xml.payload;

import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;
import org.xml.sax.ContentHandler;
import org.xml.sax.SAXException;
import org.xml.sax.ext.DefaultHandler2;
import org.xml.sax.ext.LexicalHandler;
import org.xml.sax.helpers.AttributesImpl;

/** Dispatches the events of a StAX reader to a SAX handler. */
final class StaxToSaxBridge {
    private static final LexicalHandler NO_OP = new DefaultHandler2();

    private final ContentHandler content;
    private final LexicalHandler lexical;
    private final AttributesImpl attributes = new AttributesImpl();

    StaxToSaxBridge(ContentHandler handler) {
        this.content = handler;
        this.lexical = handler instanceof LexicalHandler both ? both : NO_OP;
    }

    /** Dispatches all events. The reader must be at the start of the document. */
    void dispatch(XMLStreamReader reader) throws SAXException {
        content.startDocument();
        try {
            while (reader.hasNext()) {
                dispatch(reader, reader.next());
            }
        } catch (XMLStreamException e) {
            throw BoundedStreamReader.malformed(e);
        }
        content.endDocument();
    }

    private void dispatch(XMLStreamReader reader, int event) throws SAXException {
        switch (event) {
            case XMLStreamConstants.START_ELEMENT -> startElement(reader);
            case XMLStreamConstants.END_ELEMENT -> endElement(reader);
            case XMLStreamConstants.CHARACTERS, XMLStreamConstants.SPACE -> {
                content.characters(reader.getTextCharacters(), reader.getTextStart(), reader.getTextLength());
            }
            case XMLStreamConstants.CDATA -> {
                lexical.startCDATA();
                content.characters(reader.getTextCharacters(), reader.getTextStart(), reader.getTextLength());
                lexical.endCDATA();
            }
            case XMLStreamConstants.COMMENT -> {
                lexical.comment(reader.getTextCharacters(), reader.getTextStart(), reader.getTextLength());
            }
            case XMLStreamConstants.PROCESSING_INSTRUCTION -> {
                content.processingInstruction(reader.getPITarget(), reader.getPIData());
            }
            default -> {} // the reader rejects all other events
        }
    }

    private void startElement(XMLStreamReader reader) throws SAXException {
        for (int i = 0; i < reader.getNamespaceCount(); i++) {
            content.startPrefixMapping(orEmpty(reader.getNamespacePrefix(i)), reader.getNamespaceURI(i));
        }
        attributes.clear();
        for (int i = 0; i < reader.getAttributeCount(); i++) {
            String localName = reader.getAttributeLocalName(i);
            attributes.addAttribute(
                    reader.getAttributeNamespace(i),
                    localName,
                    qualified(reader.getAttributePrefix(i), localName),
                    "CDATA",
                    reader.getAttributeValue(i));
        }
        String localName = reader.getLocalName();
        content.startElement(reader.getNamespaceURI(), localName, qualified(reader.getPrefix(), localName), attributes);
    }

    private void endElement(XMLStreamReader reader) throws SAXException {
        String localName = reader.getLocalName();
        content.endElement(reader.getNamespaceURI(), localName, qualified(reader.getPrefix(), localName));
        for (int i = reader.getNamespaceCount() - 1; i >= 0; i--) {
            content.endPrefixMapping(orEmpty(reader.getNamespacePrefix(i)));
        }
    }

    private static String qualified(String prefix, String localName) {
        return prefix.isEmpty() ? localName : prefix + ':' + localName;
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}

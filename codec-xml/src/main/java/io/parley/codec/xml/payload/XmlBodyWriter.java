package io.parley.codec.xml.payload;

import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.codehaus.stax2.util.StreamWriterDelegate;

/** The writer that is passed to an {@link XmlBody}. Ignores the start and the end of the document. */
final class XmlBodyWriter extends StreamWriterDelegate {
    private int openElements;

    XmlBodyWriter(XMLStreamWriter writer) {
        super(writer);
    }

    @Override
    public void writeStartDocument() {}

    @Override
    public void writeStartDocument(String version) {}

    @Override
    public void writeStartDocument(String encoding, String version) {}

    @Override
    public void writeEndDocument() {}

    /** Ends the elements that the body left open; the writer of the library would end only half of them. */
    void endElements() throws XMLStreamException {
        while (openElements > 0) {
            writeEndElement();
        }
    }

    @Override
    public void writeStartElement(String localName) throws XMLStreamException {
        super.writeStartElement(localName);
        openElements++;
    }

    @Override
    public void writeStartElement(String namespace, String localName) throws XMLStreamException {
        super.writeStartElement(namespace, localName);
        openElements++;
    }

    @Override
    public void writeStartElement(String prefix, String localName, String namespace) throws XMLStreamException {
        super.writeStartElement(prefix, localName, namespace);
        openElements++;
    }

    @Override
    public void writeEndElement() throws XMLStreamException {
        if (openElements == 0) {
            throw new XMLStreamException("end of an element (expected: none, because no element is open)");
        }
        super.writeEndElement();
        openElements--;
    }

    @Override
    public void writeDTD(String declaration) throws XMLStreamException {
        throw new XMLStreamException("document type declaration (expected: none)");
    }

    @Override
    public void writeEntityRef(String name) throws XMLStreamException {
        throw new XMLStreamException("reference to the entity " + name + " (expected: characters)");
    }

    @Override
    public void close() {}
}

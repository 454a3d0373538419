package io.parley.codec.xml.payload;

import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.codehaus.stax2.util.StreamWriterDelegate;

/** What a {@link XmlBody} writes to: start and end of the document are not its business. */
final class BodyWriter extends StreamWriterDelegate {
    BodyWriter(XMLStreamWriter writer) {
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

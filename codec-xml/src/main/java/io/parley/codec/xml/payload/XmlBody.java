package io.parley.codec.xml.payload;

import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Writes the content of one document, see {@link XmlStreams#write}. */
@FunctionalInterface
public interface XmlBody {
    /**
     * Writes the root element, and comments and processing instructions beside it. The document's start and end are written
     * for it; what it writes of them is left out.
     *
     * @param writer for this call only
     * @throws XMLStreamException what the writer throws
     */
    void writeTo(XMLStreamWriter writer) throws XMLStreamException;
}

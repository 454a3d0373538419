package io.parley.codec.xml.payload;

import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** A callback that writes the content of one document, see {@link XmlStreams#write}. */
@FunctionalInterface
public interface XmlBody {
    /**
     * Writes the root element, and optionally comments and processing instructions next to it. The start and the end of
     * the document are written by the caller; calls of this method to write them have no effect.
     *
     * @param writer borrowed for this call
     * @throws XMLStreamException if the writer fails
     */
    void writeTo(XMLStreamWriter writer) throws XMLStreamException;
}

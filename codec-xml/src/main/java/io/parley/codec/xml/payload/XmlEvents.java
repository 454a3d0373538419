package io.parley.codec.xml.payload;

import io.parley.message.MessageElement;
import java.util.Objects;
import javax.xml.stream.XMLStreamReader;
import org.xml.sax.ContentHandler;
import org.xml.sax.SAXException;

/** Reads elements as SAX events, in either form. Immutable and thread-safe. */
public final class XmlEvents {
    /** The instance with {@link XmlLimits#DEFAULTS}. */
    public static final XmlEvents DEFAULTS = new XmlEvents(XmlStreams.DEFAULTS);

    private final XmlStreams streams;

    /** Creates an instance on the given streams. */
    public XmlEvents(XmlStreams streams) {
        this.streams = Objects.requireNonNull(streams, "streams");
    }

    /**
     * Reads the document of an element and reports its events to a handler on the calling thread. A handler that is
     * also a {@link org.xml.sax.ext.LexicalHandler} receives comments and CDATA sections. Namespace declarations are
     * reported as prefix mappings and not as attributes. There is no locator.
     *
     * @throws SAXException if the handler fails
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE or LIMIT_EXCEEDED under the conditions of
     *     {@link XmlStreams#read}; the handler may have received events before
     */
    public void read(MessageElement element, ContentHandler handler) throws SAXException {
        XMLStreamReader reader = streams.read(element);
        new StaxToSaxBridge(handler).dispatch(reader);
    }
}

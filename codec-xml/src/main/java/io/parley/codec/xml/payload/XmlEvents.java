package io.parley.codec.xml.payload;

import io.parley.message.MessageElement;
import java.util.Objects;
import javax.xml.stream.XMLStreamReader;
import org.xml.sax.ContentHandler;
import org.xml.sax.SAXException;

/** Elements as SAX events, in either form. Immutable and usable from any thread. */
public final class XmlEvents {
    /** Events within {@link XmlLimits#DEFAULTS}. */
    public static final XmlEvents DEFAULTS = new XmlEvents(XmlStreams.DEFAULTS);

    private final XmlStreams streams;

    public XmlEvents(XmlStreams streams) {
        this.streams = Objects.requireNonNull(streams, "streams");
    }

    /**
     * Reads the element's document and tells the handler, in this thread, what there is. One that is a
     * {@link org.xml.sax.ext.LexicalHandler} too also hears of comments and CDATA sections. Namespace declarations are
     * reported as such and not as attributes. There is no locator.
     *
     * @throws SAXException what the handler throws
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE, LIMIT_EXCEEDED: as {@link XmlStreams#read}; what the
     *     handler heard until then stays told
     */
    public void read(MessageElement element, ContentHandler handler) throws SAXException {
        XMLStreamReader reader = streams.read(element);
        new StaxToSaxBridge(handler).tell(reader);
    }
}

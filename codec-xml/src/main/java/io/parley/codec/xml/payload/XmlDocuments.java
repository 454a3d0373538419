package io.parley.codec.xml.payload;

import io.parley.error.ErrorCode;
import io.parley.message.MessageElement;
import java.util.Objects;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.DOMException;
import org.w3c.dom.Document;
import org.xml.sax.SAXException;

/**
 * Reads and writes elements as DOM trees, in either form. Immutable and thread-safe; a tree may be used by only one
 * thread at a time.
 */
public final class XmlDocuments {
    /** The instance with {@link XmlLimits#DEFAULTS}. */
    public static final XmlDocuments DEFAULTS = new XmlDocuments(XmlStreams.DEFAULTS);

    private final XmlStreams streams;

    /** Creates an instance on the given streams. */
    public XmlDocuments(XmlStreams streams) {
        this.streams = Objects.requireNonNull(streams, "streams").withNodesLimited();
    }

    /**
     * Returns the document of an element as a new tree of the JDK's DOM, with namespaces, comments and CDATA sections.
     * A tree takes about ten times the memory of the text; the limits should be chosen accordingly.
     *
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE or LIMIT_EXCEEDED under the conditions of
     *     {@link XmlStreams#read}; also MALFORMED_MESSAGE if a name is valid only in the fifth edition of XML 1.0,
     *     because the JDK's DOM implements the fourth
     */
    public Document read(MessageElement element) {
        Document document = newDocument();
        try {
            new StaxToSaxBridge(new DomBuilder(document)).dispatch(streams.read(element));
        } catch (SAXException | DOMException e) {
            throw ErrorCode.MALFORMED_MESSAGE.exception("XML element: " + e.getMessage(), e);
        }
        return document;
    }

    /**
     * Returns an element with a document. The document is not modified. Namespaces that its elements and attributes use
     * but do not declare are declared.
     *
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE if the tree contains a node that requires a document
     *     type, such as an entity reference; MESSAGE_TOO_LARGE if the document exceeds a limit
     */
    public MessageElement write(String name, XmlForm form, Document document) {
        return streams.write(
                name, form, new DomXmlBody(document, streams.limits().maxDepth()));
    }

    private static Document newDocument() {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
            factory.setNamespaceAware(true);
            return factory.newDocumentBuilder().newDocument();
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException("DOM of the JDK: not available", e);
        }
    }
}

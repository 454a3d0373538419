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
 * Elements as DOM trees, in either form. Immutable and usable from any thread; a tree, as ever, is for one thread at a
 * time.
 */
public final class XmlDocuments {
    /** Documents within {@link XmlLimits#DEFAULTS}. */
    public static final XmlDocuments DEFAULTS = new XmlDocuments(XmlStreams.DEFAULTS);

    private final XmlStreams streams;

    public XmlDocuments(XmlStreams streams) {
        this.streams = Objects.requireNonNull(streams, "streams");
    }

    /**
     * The element's document as a new tree of the JDK's DOM, with namespaces, comments and CDATA sections. A tree takes
     * some ten times the memory of the text, so the limits should be set with that in mind.
     *
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE, LIMIT_EXCEEDED: as {@link XmlStreams#read}, and where
     *     a name is one by the fifth edition of XML 1.0 only, since the JDK's DOM keeps to the fourth
     */
    public Document read(MessageElement element) {
        Document document = newDocument();
        try {
            new StaxToSaxBridge(new DomBuilder(document)).tell(streams.read(element));
        } catch (SAXException | DOMException e) {
            throw ErrorCode.MALFORMED_MESSAGE.exception("XML element: " + e.getMessage(), e);
        }
        return document;
    }

    /**
     * An element with that document, which stays as it is. Namespaces that its elements and attributes are in, but nobody
     * declared, are declared.
     *
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE when the tree holds what a document without a document
     *     type can't, such as entity references; MESSAGE_TOO_LARGE when it goes beyond the limits
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
            throw new IllegalStateException("the JDK's own DOM can't be had", e);
        }
    }
}

package io.parley.codec.xml.payload;

import io.parley.error.ErrorCode;
import javax.xml.XMLConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Attr;
import org.w3c.dom.Document;
import org.w3c.dom.NamedNodeMap;
import org.w3c.dom.Node;

/** Writes a DOM tree. */
final class DomXmlBody implements XmlBody {
    private final Document document;

    DomXmlBody(Document document, int maxDepth) {
        // Must come first: cloning and writing recurse once per level.
        checkDepth(document, maxDepth);
        this.document = (Document) document.cloneNode(true);
        // Adds the missing namespace declarations.
        this.document.normalizeDocument();
    }

    /** Checks the depth without recursion. */
    private static void checkDepth(Document document, int maxDepth) {
        int depth = 0;
        Node node = document.getFirstChild();
        while (node != null && node != document) {
            Node child = node.getFirstChild();
            if (child != null) {
                if (++depth > maxDepth) {
                    throw ErrorCode.MESSAGE_TOO_LARGE.exception(
                            "XML element: depth: over the limit (expected: <= maxDepth " + maxDepth + ")");
                }
                node = child;
                continue;
            }
            while (node != null && node != document && node.getNextSibling() == null) {
                node = node.getParentNode();
                depth--;
            }
            if (node != null && node != document) {
                node = node.getNextSibling();
            }
        }
    }

    @Override
    public void writeTo(XMLStreamWriter writer) throws XMLStreamException {
        writeChildren(document, writer);
    }

    private static void writeChildren(Node parent, XMLStreamWriter writer) throws XMLStreamException {
        for (Node child = parent.getFirstChild(); child != null; child = child.getNextSibling()) {
            write(child, writer);
        }
    }

    private static void write(Node node, XMLStreamWriter writer) throws XMLStreamException {
        switch (node.getNodeType()) {
            case Node.ELEMENT_NODE -> writeElement(node, writer);
            case Node.TEXT_NODE -> writer.writeCharacters(node.getNodeValue());
            case Node.CDATA_SECTION_NODE -> writer.writeCData(node.getNodeValue());
            case Node.COMMENT_NODE -> writer.writeComment(node.getNodeValue());
            case Node.PROCESSING_INSTRUCTION_NODE ->
                writer.writeProcessingInstruction(node.getNodeName(), node.getNodeValue());
            default ->
                throw ErrorCode.NOT_ENCODABLE.exception("XML element: node " + node.getNodeName() + " of type "
                        + node.getNodeType()
                        + " (expected: an element, text, a comment or a processing instruction)");
        }
    }

    private static void writeElement(Node element, XMLStreamWriter writer) throws XMLStreamException {
        writer.writeStartElement(orEmpty(element.getPrefix()), localName(element), orEmpty(element.getNamespaceURI()));
        NamedNodeMap attributes = element.getAttributes();
        for (int i = 0; i < attributes.getLength(); i++) {
            Attr attribute = (Attr) attributes.item(i);
            if (!isDeclaration(attribute)) {
                continue;
            }
            if (attribute.getPrefix() == null) {
                writer.writeDefaultNamespace(attribute.getValue());
            } else {
                writer.writeNamespace(localName(attribute), attribute.getValue());
            }
        }
        for (int i = 0; i < attributes.getLength(); i++) {
            Attr attribute = (Attr) attributes.item(i);
            if (!isDeclaration(attribute)) {
                writer.writeAttribute(
                        orEmpty(attribute.getPrefix()),
                        orEmpty(attribute.getNamespaceURI()),
                        localName(attribute),
                        attribute.getValue());
            }
        }
        writeChildren(element, writer);
        writer.writeEndElement();
    }

    private static boolean isDeclaration(Attr attribute) {
        return XMLConstants.XMLNS_ATTRIBUTE_NS_URI.equals(attribute.getNamespaceURI());
    }

    /** Returns the local name. Nodes that were created without a namespace have only a node name. */
    private static String localName(Node node) {
        String localName = node.getLocalName();
        return localName == null ? node.getNodeName() : localName;
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}

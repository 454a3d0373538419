package io.parley.codec.xml.payload;

import java.util.ArrayList;
import java.util.List;
import javax.xml.XMLConstants;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.Attributes;
import org.xml.sax.ext.DefaultHandler2;

/** Builds a DOM tree from SAX events. */
final class DomBuilder extends DefaultHandler2 {
    private final Document document;
    private final List<NamespaceDeclaration> declarations = new ArrayList<>();
    private Node parent;
    private boolean inSection;

    private record NamespaceDeclaration(String prefix, String namespace) {}

    DomBuilder(Document document) {
        this.document = document;
        this.parent = document;
    }

    @Override
    public void startPrefixMapping(String prefix, String namespace) {
        declarations.add(new NamespaceDeclaration(prefix, namespace));
    }

    @Override
    public void startElement(String namespace, String localName, String qualifiedName, Attributes attributes) {
        Element element = document.createElementNS(orNull(namespace), qualifiedName);
        for (NamespaceDeclaration declaration : declarations) {
            String name = declaration.prefix.isEmpty() ? "xmlns" : "xmlns:" + declaration.prefix;
            element.setAttributeNS(XMLConstants.XMLNS_ATTRIBUTE_NS_URI, name, declaration.namespace);
        }
        declarations.clear();
        for (int i = 0; i < attributes.getLength(); i++) {
            element.setAttributeNS(orNull(attributes.getURI(i)), attributes.getQName(i), attributes.getValue(i));
        }
        parent.appendChild(element);
        parent = element;
    }

    @Override
    public void endElement(String namespace, String localName, String qualifiedName) {
        parent = parent.getParentNode();
    }

    @Override
    public void characters(char[] text, int start, int length) {
        String characters = new String(text, start, length);
        parent.appendChild(inSection ? document.createCDATASection(characters) : document.createTextNode(characters));
    }

    @Override
    public void startCDATA() {
        inSection = true;
    }

    @Override
    public void endCDATA() {
        inSection = false;
    }

    @Override
    public void comment(char[] text, int start, int length) {
        parent.appendChild(document.createComment(new String(text, start, length)));
    }

    @Override
    public void processingInstruction(String target, String data) {
        parent.appendChild(document.createProcessingInstruction(target, data));
    }

    private static @Nullable String orNull(String namespace) {
        return namespace.isEmpty() ? null : namespace;
    }
}

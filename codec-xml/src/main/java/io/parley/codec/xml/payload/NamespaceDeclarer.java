package io.parley.codec.xml.payload;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.codehaus.stax2.util.StreamWriterDelegate;

/**
 * A writer that declares the namespaces which an object mapper uses without declaring them. The namespace of an element
 * becomes the default namespace unless it already is. The namespace of an attribute is declared with a prefix at each
 * element that uses it.
 */
final class NamespaceDeclarer extends StreamWriterDelegate {
    private final Deque<String> defaults = new ArrayDeque<>();
    private final Map<String, String> preferredPrefixes = new HashMap<>();
    private final Map<String, String> elementPrefixes = new HashMap<>();

    NamespaceDeclarer(XMLStreamWriter writer) {
        super(writer);
        defaults.push("");
    }

    @Override
    public void setPrefix(String prefix, String namespace) {
        preferredPrefixes.put(namespace, prefix);
    }

    @Override
    public void writeStartElement(String localName) throws XMLStreamException {
        writeStartElement("", localName);
    }

    @Override
    public void writeStartElement(String namespace, String localName) throws XMLStreamException {
        super.writeStartElement("", localName, namespace);
        declareDefault(namespace);
        defaults.push(namespace);
    }

    @Override
    public void writeEndElement() throws XMLStreamException {
        super.writeEndElement();
        defaults.pop();
    }

    @Override
    public void writeEmptyElement(String localName) throws XMLStreamException {
        writeEmptyElement("", localName);
    }

    @Override
    public void writeEmptyElement(String namespace, String localName) throws XMLStreamException {
        super.writeEmptyElement("", localName, namespace);
        declareDefault(namespace);
    }

    private void declareDefault(String namespace) throws XMLStreamException {
        elementPrefixes.clear();
        if (!namespace.equals(defaults.peek())) {
            super.writeDefaultNamespace(namespace);
        }
    }

    @Override
    public void writeAttribute(String namespace, String localName, String value) throws XMLStreamException {
        if (namespace.isEmpty()) {
            super.writeAttribute(localName, value);
            return;
        }
        String prefix = elementPrefixes.get(namespace);
        if (prefix == null) {
            prefix = preferredPrefixes.getOrDefault(namespace, "ns" + elementPrefixes.size());
            elementPrefixes.put(namespace, prefix);
            super.writeNamespace(prefix, namespace);
        }
        super.writeAttribute(prefix, namespace, localName, value);
    }

    @Override
    public void writeAttribute(String prefix, String namespace, String localName, String value)
            throws XMLStreamException {
        preferredPrefixes.putIfAbsent(namespace, prefix);
        writeAttribute(namespace, localName, value);
    }
}

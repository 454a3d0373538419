package io.parley.codec.xml.payload;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.codehaus.stax2.util.StreamWriterDelegate;

/**
 * Declares namespaces for a writer of objects, which names them and leaves the rest to others. An element's namespace becomes
 * the default one where it isn't already; an attribute's gets a prefix at each element anew.
 */
final class NamespaceDeclarer extends StreamWriterDelegate {
    private final Deque<String> defaults = new ArrayDeque<>();
    private final Map<String, String> wishedPrefixes = new HashMap<>();
    private final Map<String, String> elementPrefixes = new HashMap<>();

    NamespaceDeclarer(XMLStreamWriter writer) {
        super(writer);
        defaults.push("");
    }

    @Override
    public void setPrefix(String prefix, String namespace) {
        wishedPrefixes.put(namespace, prefix);
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
            prefix = wishedPrefixes.getOrDefault(namespace, "ns" + elementPrefixes.size());
            elementPrefixes.put(namespace, prefix);
            super.writeNamespace(prefix, namespace);
        }
        super.writeAttribute(prefix, namespace, localName, value);
    }

    @Override
    public void writeAttribute(String prefix, String namespace, String localName, String value)
            throws XMLStreamException {
        wishedPrefixes.putIfAbsent(namespace, prefix);
        writeAttribute(namespace, localName, value);
    }
}

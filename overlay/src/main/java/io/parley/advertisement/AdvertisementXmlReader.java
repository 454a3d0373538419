package io.parley.advertisement;

import com.ctc.wstx.exc.WstxException;
import com.ctc.wstx.stax.WstxInputFactory;
import com.ctc.wstx.util.SymbolTable;
import io.parley.common.internal.DistinctNames;
import io.parley.common.internal.TextSanitizer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.io.ByteArrayInputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.codehaus.stax2.XMLInputFactory2;

/** Parses an untrusted document into elements, within limits. Immutable and thread-safe. */
final class AdvertisementXmlReader {
    private static final WstxInputFactory PARSERS = parsers();

    /** The maximum number of distinct names in a document. */
    private static final int MAX_NAMES = 1024;

    private final AdvertisementLimits limits;

    AdvertisementXmlReader(AdvertisementLimits limits) {
        this.limits = limits;
    }

    /**
     * Returns the root element.
     *
     * @throws io.parley.error.PeerFaultException MALFORMED_ADVERTISEMENT, LIMIT_EXCEEDED
     */
    XmlElement read(byte[] document) {
        if (document.length > limits.maxDocumentBytes()) {
            throw excess("document", document.length + " bytes", limits.maxDocumentBytes());
        }
        try {
            XmlProlog prolog = XmlProlog.of(document);
            XMLStreamReader reader = PARSERS.createXMLStreamReader(
                    new ByteArrayInputStream(document, prolog.end(), document.length - prolog.end()), "UTF-8");
            XmlElement root = new TreeBuilder(reader).read();
            if (!prolog.documentType().isEmpty() && !prolog.documentType().equals(root.name())) {
                throw new IllegalArgumentException("DOCTYPE: " + TextSanitizer.quote(prolog.documentType())
                        + " (expected: the name of the root, " + TextSanitizer.quote(root.name()) + ")");
            }
            return root;
        } catch (XMLStreamException e) {
            throw malformed(firstLine(e), e);
        } catch (IllegalArgumentException e) {
            throw malformed(String.valueOf(e.getMessage()), e);
        }
    }

    private static ParleyException malformed(String what, Exception cause) {
        return ErrorCode.MALFORMED_ADVERTISEMENT.exception("document: " + what, cause);
    }

    private static ParleyException excess(String what, String found, int limit) {
        return ErrorCode.LIMIT_EXCEEDED.exception(what + ": " + found + " (expected: <= " + limit + ")");
    }

    /** Returns the first line of the parser's message, which quotes the input; the second line has the location. */
    private static String firstLine(XMLStreamException e) {
        String message = String.valueOf(e.getMessage());
        int end = message.indexOf('\n');
        String place = e.getLocation() == null || !(e instanceof WstxException)
                ? ""
                : " at byte " + e.getLocation().getCharacterOffset() + " after the prolog";
        return TextSanitizer.quote(end < 0 ? message : message.substring(0, end)) + place;
    }

    private static WstxInputFactory parsers() {
        // Instantiated by name, never looked up: the class path must not decide which features untrusted documents can
        // use.
        WstxInputFactory factory = new IsolatedInputFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, false);
        factory.setProperty(XMLInputFactory2.P_LAZY_PARSING, false);
        return factory;
    }

    /** A factory that does not share its symbol table; otherwise element names of untrusted documents would accumulate in it. */
    private static final class IsolatedInputFactory extends WstxInputFactory {
        @Override
        public synchronized void updateSymbolTable(SymbolTable ofOneDocument) {
            // discards the names
        }
    }

    /** Builds the tree of one document in one pass. */
    private final class TreeBuilder {
        private final XMLStreamReader reader;
        private final Deque<OpenElement> path = new ArrayDeque<>();
        private final DistinctNames names = new DistinctNames(MAX_NAMES, () -> "document");
        private int elements;

        TreeBuilder(XMLStreamReader reader) {
            this.reader = reader;
        }

        XmlElement read() throws XMLStreamException {
            OpenElement document = new OpenElement("document", Map.of());
            path.push(document);
            while (reader.hasNext()) {
                switch (reader.next()) {
                    case XMLStreamConstants.START_ELEMENT -> start();
                    case XMLStreamConstants.END_ELEMENT -> end();
                    case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE ->
                        current()
                                .text
                                .append(reader.getTextCharacters(), reader.getTextStart(), reader.getTextLength());
                    case XMLStreamConstants.PROCESSING_INSTRUCTION -> names.add(reader.getPITarget());
                    case XMLStreamConstants.COMMENT, XMLStreamConstants.END_DOCUMENT -> {}
                    default -> throw new IllegalArgumentException("entity or declaration (expected: none)");
                }
            }
            return document.children.get(0);
        }

        private void start() {
            elements++;
            if (elements > limits.maxElements()) {
                throw excess("elements", "more than " + limits.maxElements(), limits.maxElements());
            }
            if (path.size() > limits.maxDepth()) {
                throw excess("depth", Integer.toString(path.size()), limits.maxDepth());
            }
            int attributes = countAttributes();
            if (attributes > limits.maxAttributes()) {
                throw excess("attributes", Integer.toString(attributes), limits.maxAttributes());
            }
            names.add(reader.getLocalName());
            path.push(
                    new OpenElement(reader.getLocalName(), reader.getAttributeCount() == 0 ? Map.of() : attributes()));
        }

        /** Counts the attributes of the element, without those that carry no information: the writer adds them to each root. */
        private int countAttributes() {
            int count = 0;
            for (int i = 0; i < reader.getAttributeCount(); i++) {
                count += XmlElement.SAY_NOTHING.contains(reader.getAttributeLocalName(i)) ? 0 : 1;
            }
            return count;
        }

        private void end() {
            XmlElement element = path.pop().close();
            current().children.add(element);
        }

        /** Returns the innermost open element; the element of the document is never closed. */
        private OpenElement current() {
            return path.element();
        }

        private Map<String, String> attributes() {
            Map<String, String> attributes = new LinkedHashMap<>();
            for (int i = 0; i < reader.getAttributeCount(); i++) {
                names.add(reader.getAttributeLocalName(i));
                attributes.put(reader.getAttributeLocalName(i), reader.getAttributeValue(i));
            }
            return attributes;
        }
    }

    /** An element whose end tag has not been read. */
    private static final class OpenElement {
        final StringBuilder text = new StringBuilder();
        final List<XmlElement> children = new ArrayList<>();
        private final String name;
        private final Map<String, String> attributes;

        OpenElement(String name, Map<String, String> attributes) {
            this.name = name;
            this.attributes = attributes;
        }

        XmlElement close() {
            return new XmlElement(name, attributes, text.toString(), children);
        }
    }
}

package io.parley.codec.xml.payload;

import io.parley.common.internal.DistinctNames;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.NoSuchElementException;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.util.StreamReaderDelegate;
import org.jspecify.annotations.Nullable;

/**
 * A stream reader that enforces the limits, rejects document type declarations, and converts each exception that a
 * parser throws for malformed bytes to a fault of the remote peer.
 */
class BoundedStreamReader extends StreamReaderDelegate {
    private static final int MAX_NAMES = 4096;

    /**
     * The maximum number of namespace declarations in scope. The parser searches them one by one for each prefix, which
     * makes each element costly if there are many.
     */
    private static final int MAX_NAMESPACES = 256;

    private static final int MAX_MESSAGE_CHARS = 300;
    private static final String FORMAT = "XML element";

    private final XmlLimits limits;
    private final boolean nodesLimited;
    private final DistinctNames names = new DistinctNames(MAX_NAMES, () -> FORMAT);
    private int depth;
    private int namespacesInScope;
    private long characters;
    private long nodes;

    /** @param nodesLimited whether {@link XmlLimits#maxNodes} applies, because the caller keeps what it reads */
    BoundedStreamReader(XMLStreamReader reader, XmlLimits limits, boolean nodesLimited) {
        super(reader);
        this.limits = limits;
        this.nodesLimited = nodesLimited;
    }

    static ParleyException malformed(Throwable cause) {
        if (cause instanceof ParleyException fault) {
            return fault;
        }
        String message = String.valueOf(cause.getMessage());
        // Woodstox has no exception type for its limits.
        ErrorCode code = message.contains(" limit (") ? ErrorCode.LIMIT_EXCEEDED : ErrorCode.MALFORMED_MESSAGE;
        if (message.length()
                > MAX_MESSAGE_CHARS) { // because it contains text of the document, which the cause has in full
            return code.exception(FORMAT + ": " + message.substring(0, MAX_MESSAGE_CHARS) + "...");
        }
        return code.exception(FORMAT + ": " + message, cause);
    }

    @Override
    public int next() {
        try {
            if (!super.hasNext()) {
                throw new NoSuchElementException("the document has ended");
            }
        } catch (XMLStreamException e) {
            throw malformed(e);
        }
        try {
            int event = super.next();
            check(event);
            checkForm(event);
            return event;
        } catch (XMLStreamException | RuntimeException e) {
            throw malformed(e);
        }
    }

    /** Checks well-formedness. Does nothing here, because Woodstox checks text. */
    void checkForm(int event) {}

    /** Returns the number of open elements, including the one of the current start tag. */
    final int depth() {
        return depth;
    }

    private void check(int event) {
        switch (event) {
            case START_ELEMENT -> checkElement();
            case END_ELEMENT -> {
                depth--;
                namespacesInScope -= getNamespaceCount();
            }
            case CHARACTERS, SPACE, CDATA, COMMENT -> {
                countNodes(1);
                count(getTextLength());
            }
            case PROCESSING_INSTRUCTION -> {
                countNodes(1);
                checkName(getPITarget());
                count(getPIData().length());
            }
            case DTD ->
                throw ErrorCode.MALFORMED_MESSAGE.exception("XML element: document type declaration (expected: none)");
            case ENTITY_REFERENCE ->
                throw ErrorCode.MALFORMED_MESSAGE.exception("XML element: entity reference (expected: characters)");
            default -> {}
        }
    }

    private void checkElement() {
        if (++depth > limits.maxDepth()) {
            throw overLimit("depth", depth, "maxDepth", limits.maxDepth());
        }
        int attributes = getAttributeCount();
        int namespaces = getNamespaceCount();
        if (attributes > limits.maxAttributes() - namespaces) {
            throw overLimit("attributes", (long) attributes + namespaces, "maxAttributes", limits.maxAttributes());
        }
        countNodes(1L + attributes + namespaces);
        namespacesInScope += namespaces;
        if (namespacesInScope > MAX_NAMESPACES) {
            throw overLimit("namespaces in scope", namespacesInScope, "maxNamespaces", MAX_NAMESPACES);
        }
        checkName(getLocalName());
        checkName(getPrefix());
        for (int i = 0; i < namespaces; i++) {
            String prefix = getNamespacePrefix(i);
            checkName(prefix == null ? "" : prefix);
            checkLength(getNamespaceURI(i));
        }
        for (int i = 0; i < attributes; i++) {
            checkName(getAttributeLocalName(i));
            checkName(getAttributePrefix(i));
            count(getAttributeValue(i).length());
        }
    }

    private void checkName(String name) {
        checkLength(name);
        names.add(name);
    }

    private void checkLength(String name) {
        int length = name.length();
        if (length > limits.maxNameChars()) {
            throw overLimit("chars of a name", length, "maxNameChars", limits.maxNameChars());
        }
        count(length);
    }

    private void countNodes(long count) {
        nodes += count;
        if (nodesLimited && nodes > limits.maxNodes()) {
            throw overLimit("nodes", nodes, "maxNodes", limits.maxNodes());
        }
    }

    private void count(int length) {
        characters += length;
        if (characters > limits.maxCharacters()) {
            throw overLimit("characters", characters, "maxCharacters", limits.maxCharacters());
        }
    }

    private static ParleyException overLimit(String field, long value, String limit, long max) {
        return ErrorCode.LIMIT_EXCEEDED.exception(
                FORMAT + ": " + field + ": " + value + " (expected: <= " + limit + " " + max + ")");
    }

    // Methods that advance the reader must call next(); those of the delegate do not.

    @Override
    public int nextTag() throws XMLStreamException {
        int event = next();
        while ((event == CHARACTERS && isWhiteSpace())
                || (event == CDATA && isWhiteSpace())
                || event == SPACE
                || event == COMMENT
                || event == PROCESSING_INSTRUCTION) {
            event = next();
        }
        if (event != START_ELEMENT && event != END_ELEMENT) {
            throw new XMLStreamException("event: " + event + " (expected: start or end of an element)", getLocation());
        }
        return event;
    }

    @Override
    public String getElementText() throws XMLStreamException {
        if (getEventType() != START_ELEMENT) {
            throw new XMLStreamException(
                    "event: " + getEventType() + " (expected: start of an element)", getLocation());
        }
        StringBuilder text = new StringBuilder();
        for (int event = next(); event != END_ELEMENT; event = next()) {
            switch (event) {
                case CHARACTERS, SPACE, CDATA -> text.append(getText());
                case COMMENT, PROCESSING_INSTRUCTION -> {}
                default ->
                    throw new XMLStreamException(
                            "event: " + event + " (expected: text or the end of the element)", getLocation());
            }
        }
        return text.toString();
    }

    @Override
    public boolean hasNext() {
        try {
            return super.hasNext();
        } catch (XMLStreamException e) {
            throw malformed(e);
        }
    }

    // The Fast Infoset parser and Woodstox differ in their results for absent values.

    @Override
    public @Nullable String getNamespacePrefix(int index) {
        String prefix = super.getNamespacePrefix(index);
        return prefix == null || prefix.isEmpty() ? null : prefix;
    }

    @Override
    public String getNamespaceURI(int index) {
        return orEmpty(super.getNamespaceURI(index));
    }

    @Override
    public String getPrefix() {
        return orEmpty(super.getPrefix());
    }

    @Override
    public String getNamespaceURI() {
        return orEmpty(super.getNamespaceURI());
    }

    @Override
    public String getAttributePrefix(int index) {
        return orEmpty(super.getAttributePrefix(index));
    }

    @Override
    public String getAttributeNamespace(int index) {
        return orEmpty(super.getAttributeNamespace(index));
    }

    @Override
    public String getPIData() {
        return orEmpty(super.getPIData());
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}

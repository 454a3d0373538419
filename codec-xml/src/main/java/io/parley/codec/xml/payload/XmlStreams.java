package io.parley.codec.xml.payload;

import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.io.ByteArrayOutputStream;
import java.util.Objects;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Reads and writes elements as XML streams (StAX), in either form.
 *
 * <pre>{@code
 * MessageElement query = XmlStreams.DEFAULTS.write("query", XmlForm.FAST_INFOSET, xml -> {
 *     xml.writeStartElement("weather");
 *     xml.writeAttribute("place", "Basel");
 *     xml.writeEndElement();
 * });
 * XMLStreamReader reader = XmlStreams.DEFAULTS.read(query);
 * }</pre>
 *
 * <p>Immutable and thread-safe.
 */
public final class XmlStreams {
    /** The instance with {@link XmlLimits#DEFAULTS}. */
    public static final XmlStreams DEFAULTS = new XmlStreams(XmlLimits.DEFAULTS);

    private final XmlLimits limits;
    private final XmlTextStreamFactory text;
    private final FastInfosetStreamFactory fastInfoset;

    /** Creates an instance with the given limits. */
    public XmlStreams(XmlLimits limits) {
        this(limits, false);
    }

    private XmlStreams(XmlLimits limits, boolean nodesLimited) {
        this.limits = Objects.requireNonNull(limits, "limits");
        this.text = new XmlTextStreamFactory(limits, nodesLimited);
        this.fastInfoset = new FastInfosetStreamFactory(limits, nodesLimited);
    }

    /** Returns streams for documents that are kept in memory, so that {@link XmlLimits#maxNodes} applies to them. */
    XmlStreams withNodesLimited() {
        return new XmlStreams(limits, true);
    }

    /** Returns the limits of the documents. */
    public XmlLimits limits() {
        return limits;
    }

    /**
     * Returns a reader at the start of the document of an element. The reader is namespace aware and reports CDATA
     * sections separately. The text of documents that this class has written is reported as one event up to the next
     * tag, comment or section. The reader need not be closed.
     *
     * <p>For any content, this method and the methods that advance the reader fail only with
     * {@link io.parley.error.PeerFaultException}: MALFORMED_MESSAGE if the document is not well-formed or has a
     * document type declaration, or if the type of the element is not an XML type; LIMIT_EXCEEDED if the document
     * exceeds a limit. An {@link XMLStreamException} indicates only an invalid call, for example for the text of an end
     * tag.
     *
     * @throws io.parley.error.PeerFaultException see above
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE if the element is a file that cannot be read
     */
    public XMLStreamReader read(MessageElement element) {
        XmlForm form = XmlForm.of(element)
                .orElseThrow(() -> ErrorCode.MALFORMED_MESSAGE.exception(
                        "XML element: type " + element.type() + " (expected: one of XML or Fast Infoset)"));
        if (element.size() > limits.maxBytes()) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "XML element: " + element.size() + " bytes (expected: <= maxBytes " + limits.maxBytes() + ")");
        }
        Payload payload = inMemory(element.payload());
        return form == XmlForm.TEXT
                ? text.reader(payload, XmlTextStreamFactory.charsetOf(element))
                : fastInfoset.reader(payload);
    }

    /**
     * Returns an element with the document that the body writes. The body must declare its namespaces. The document is
     * read once to verify that receivers can read it.
     *
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE if the body does not write a well-formed document or
     *     throws an {@link XMLStreamException}; MESSAGE_TOO_LARGE if the document exceeds a limit
     */
    public MessageElement write(String name, XmlForm form, XmlBody body) {
        BoundedOutputStream output = new BoundedOutputStream(limits.maxBytes());
        try {
            if (form == XmlForm.TEXT) {
                text.write(output, body);
            } else {
                fastInfoset.write(output, body);
            }
            MessageElement element = MessageElement.of("", name, form.type(), output.toPayload());
            checkReadable(element);
            return element;
        } catch (XMLStreamException | IllegalStateException | IllegalArgumentException e) {
            throw ErrorCode.NOT_ENCODABLE.exception("XML element " + name + ": " + e.getMessage(), e);
        }
    }

    /**
     * Reads an element that was written. Writers do not check that prefixes are declared, and the writer of the binary
     * form accepts any name and any character. The reader enforces well-formedness and the limits.
     */
    private void checkReadable(MessageElement element) throws XMLStreamException {
        try {
            XMLStreamReader reader = read(element);
            while (reader.hasNext()) {
                reader.next();
            }
        } catch (PeerFaultException e) {
            boolean tooLarge = e.code() == ErrorCode.LIMIT_EXCEEDED;
            throw (tooLarge ? ErrorCode.MESSAGE_TOO_LARGE : ErrorCode.NOT_ENCODABLE)
                    .exception(
                            "XML element " + element.name() + ": written document is not readable: " + e.getMessage(),
                            e);
        }
    }

    private static Payload inMemory(Payload payload) {
        return payload.hasArray() ? payload : Payload.of(payload.toByteArray());
    }

    /** A stream that collects a document and fails if the document exceeds the size that readers accept. */
    private static final class BoundedOutputStream extends ByteArrayOutputStream {
        private final int maxBytes;

        BoundedOutputStream(int maxBytes) {
            super(256);
            this.maxBytes = maxBytes;
        }

        @Override
        public synchronized void write(int b) {
            checkRoom(1);
            super.write(b);
        }

        @Override
        public synchronized void write(byte[] bytes, int offset, int length) {
            checkRoom(length);
            super.write(bytes, offset, length);
        }

        private void checkRoom(int length) {
            if (length > maxBytes - count) {
                throw ErrorCode.MESSAGE_TOO_LARGE.exception(
                        "XML element: document over the limit (expected: <= maxBytes " + maxBytes + ")");
            }
        }

        /** Returns the collected bytes without a copy. The stream must not be used afterwards. */
        Payload toPayload() {
            return Payload.of(buf, 0, count);
        }
    }
}

package io.parley.codec.xml.payload;

import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.Objects;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Elements as streams of XML (StAX), in either form.
 *
 * <pre>{@code
 * MessageElement question = XmlStreams.DEFAULTS.write("question", XmlForm.FAST_INFOSET, xml -> {
 *     xml.writeStartElement("weather");
 *     xml.writeAttribute("place", "Basel");
 *     xml.writeEndElement();
 * });
 * XMLStreamReader reader = XmlStreams.DEFAULTS.read(question);
 * }</pre>
 *
 * <p>Immutable and usable from any thread.
 */
public final class XmlStreams {
    /** Streams with {@link XmlLimits#DEFAULTS}. */
    public static final XmlStreams DEFAULTS = new XmlStreams(XmlLimits.DEFAULTS);

    private final XmlLimits limits;
    private final XmlTextStreamFactory text;
    private final FastInfosetStreamFactory fastInfoset;

    public XmlStreams(XmlLimits limits) {
        this.limits = Objects.requireNonNull(limits, "limits");
        this.text = new XmlTextStreamFactory(limits);
        this.fastInfoset = new FastInfosetStreamFactory(limits);
    }

    /** The limits that these streams keep to. */
    public XmlLimits limits() {
        return limits;
    }

    /**
     * A reader of the element's document, at its start. It knows namespaces and gives CDATA sections as such; text that
     * was written here comes in one piece up to the next tag, comment or section. Nothing has to be closed.
     *
     * <p>Whatever the content says, the reader fails with {@link io.parley.error.PeerFaultException} only, from this method
     * or from those that move it on: MALFORMED_MESSAGE when it isn't well-formed, or has a document type declaration, or
     * the element isn't XML by its type; LIMIT_EXCEEDED. It throws no XMLStreamException but for what the caller asked
     * wrongly.
     *
     * @throws io.parley.error.PeerFaultException see above
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE when the element is a file that can't be read
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
     * An element with the document that the body writes. Namespaces aren't declared unless the body does it. The document
     * is read once to see that others can.
     *
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE when the body writes no well-formed document, or what it
     *     throws says so; MESSAGE_TOO_LARGE when the document goes beyond the limits
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
            readAgain(element);
            return element;
        } catch (XMLStreamException | IllegalStateException | IllegalArgumentException e) {
            throw ErrorCode.NOT_ENCODABLE.exception("XML element " + name + ": " + e.getMessage(), e);
        }
    }

    /**
     * Writers don't see to it that prefixes are declared, and that of the binary form takes any name and any character: the
     * reader knows what is XML and within the limits.
     */
    private void readAgain(MessageElement element) throws XMLStreamException {
        try {
            XMLStreamReader reader = read(element);
            while (reader.hasNext()) {
                reader.next();
            }
        } catch (PeerFaultException e) {
            boolean tooMuch = e.code() == ErrorCode.LIMIT_EXCEEDED;
            throw (tooMuch ? ErrorCode.MESSAGE_TOO_LARGE : ErrorCode.NOT_ENCODABLE)
                    .exception(
                            "XML element " + element.name() + ": what was written can't be read: " + e.getMessage(), e);
        }
    }

    private static Payload inMemory(Payload payload) {
        return payload.hasArray() ? payload : Payload.of(payload.toByteArray());
    }
}

package io.parley.codec.xml.payload;

import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.xml.sax.SAXException;

/**
 * Elements of XML text travel as Fast Infoset and are text again, byte for byte, where they arrive. For this the text is
 * decoded once before it is sent: one that would not come back as it was travels as it is. That holds for what is not
 * well-formed, has a document type declaration, is not UTF-8, is no smaller in the binary form, or is written in
 * more than one manner (see {@link XmlTextStyle}).
 *
 * <p>Keeps nothing from one element to the next; usable from any thread. Whoever needs only the infoset, and no text at all,
 * is better off with elements of {@link XmlForm#FAST_INFOSET}.
 */
public final class FastInfosetEncodingScheme implements EncodingScheme {
    private final XmlLimits limits;
    private final XmlTextStreamFactory text;
    private final FastInfosetStreamFactory fastInfoset;

    /** A scheme within {@link XmlLimits#DEFAULTS}. */
    public FastInfosetEncodingScheme() {
        this(XmlLimits.DEFAULTS);
    }

    public FastInfosetEncodingScheme(XmlLimits limits) {
        this.limits = Objects.requireNonNull(limits, "limits");
        this.text = new XmlTextStreamFactory(limits);
        this.fastInfoset = new FastInfosetStreamFactory(limits);
    }

    @Override
    public String name() {
        return "fi";
    }

    @Override
    public boolean accepts(MessageElement element) {
        return element.size() > 0
                && element.size() <= limits.maxBytes()
                && XmlForm.of(element).filter(form -> form == XmlForm.TEXT).isPresent();
    }

    @Override
    public Optional<Payload> encode(MessageElement element) {
        byte[] original = element.toByteArray();
        XmlTextParts parts = XmlTextParts.of(original).orElse(null);
        if (parts == null) {
            return Optional.empty();
        }
        ByteArrayOutputStream encoded = new ByteArrayOutputStream(original.length / 2 + 16);
        new EncodedTextHeader(
                        XmlTextStyle.of(original, parts.rootStart(), parts.rootEnd()),
                        original.length,
                        parts.prologue(original),
                        parts.epilogue(original))
                .writeTo(encoded);
        try {
            new StaxToSaxBridge(fastInfoset.handler(encoded))
                    .tell(text.reader(parts.root(original), StandardCharsets.UTF_8));
        } catch (PeerFaultException | SAXException e) {
            return Optional.empty();
        } catch (RuntimeException e) {
            // The library gives up in many ways, at a table of more than a million strings for one.
            return Optional.empty();
        }
        if (encoded.size() >= original.length) {
            return Optional.empty();
        }
        Payload payload = Payload.of(encoded.toByteArray());
        return comesBack(element, payload, original) ? Optional.of(payload) : Optional.empty();
    }

    private boolean comesBack(MessageElement element, Payload payload, byte[] original) {
        try {
            Payload decoded = decode(element.withPayload(payload), original.length);
            return Arrays.equals(decoded.toByteArray(), original);
        } catch (PeerFaultException e) {
            return false;
        }
    }

    @Override
    public Payload decode(MessageElement element, long maxBytes) {
        if (element.size() > limits.maxBytes()) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "encoded XML: " + element.size() + " bytes (expected: <= maxBytes " + limits.maxBytes() + ")");
        }
        EncodedTextReader in = new EncodedTextReader(element.payload());
        EncodedTextHeader head = in.readHead();
        if (head.originalBytes() > maxBytes) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "decoded XML: " + head.originalBytes() + " bytes (expected: <= " + maxBytes + ")");
        }
        XmlTextWriter writer = new XmlTextWriter(head.style(), head.originalBytes());
        writer.writeRaw(head.prologue());
        try {
            new StaxToSaxBridge(writer).tell(fastInfoset.reader(in.rest()));
        } catch (SAXException e) {
            throw BoundedStreamReader.malformed(e);
        }
        writer.writeRaw(head.epilogue());
        return writer.toPayload();
    }
}

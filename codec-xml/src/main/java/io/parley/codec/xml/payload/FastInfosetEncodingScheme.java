package io.parley.codec.xml.payload;

import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.xml.sax.SAXException;

/**
 * An encoding scheme that sends XML text as Fast Infoset and restores the text byte for byte. The sender decodes each
 * encoded text once before it is sent. A text that the receiver could not restore exactly is sent unchanged: a text
 * that is not well-formed, has a document type declaration, is not UTF-8, is not smaller in the binary form, or mixes
 * several styles (see {@link XmlTextStyle}).
 *
 * <p>Stateless and thread-safe. An application that needs only the infoset and not the text should send elements of
 * {@link XmlForm#FAST_INFOSET} instead.
 */
public final class FastInfosetEncodingScheme implements EncodingScheme {
    private final XmlLimits limits;
    private final XmlTextStreamFactory text;
    private final FastInfosetStreamFactory fastInfoset;

    /** Creates a scheme with {@link XmlLimits#DEFAULTS}. */
    public FastInfosetEncodingScheme() {
        this(XmlLimits.DEFAULTS);
    }

    /** Creates a scheme with the given limits. */
    public FastInfosetEncodingScheme(XmlLimits limits) {
        this.limits = Objects.requireNonNull(limits, "limits");
        this.text = new XmlTextStreamFactory(limits, false);
        this.fastInfoset = new FastInfosetStreamFactory(limits, false);
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
                    .dispatch(text.reader(parts.root(original), StandardCharsets.UTF_8));
        } catch (PeerFaultException | SAXException e) {
            return Optional.empty();
        } catch (RuntimeException e) {
            // The library fails with various exceptions, for example at a table of more than a million strings.
            return Optional.empty();
        }
        if (encoded.size() >= original.length) {
            return Optional.empty();
        }
        Payload payload = Payload.of(encoded.toByteArray());
        return isRestored(element, payload, original) ? Optional.of(payload) : Optional.empty();
    }

    private boolean isRestored(MessageElement element, Payload payload, byte[] original) {
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
        ByteBuffer in = bytesOf(element.payload());
        EncodedTextHeader header = EncodedTextHeader.readFrom(in);
        if (header.originalBytes() > maxBytes) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "decoded XML: " + header.originalBytes() + " bytes (expected: <= " + maxBytes + ")");
        }
        Payload document = Payload.of(in.array(), in.arrayOffset() + in.position(), in.remaining());
        XmlTextWriter writer = new XmlTextWriter(header.style(), header.originalBytes());
        writer.writeRaw(header.prologue());
        try {
            // The parser expands values before the writer can compare them with the size of the text, which has a byte
            // for each char.
            new StaxToSaxBridge(writer).dispatch(fastInfoset.reader(document, header.originalBytes()));
        } catch (SAXException e) {
            throw BoundedStreamReader.malformed(e);
        }
        writer.writeRaw(header.epilogue());
        return writer.toPayload();
    }

    @Override
    public long maxDecodedBytes(MessageElement element) {
        return EncodedTextHeader.readFrom(bytesOf(element.payload())).originalBytes();
    }

    private static ByteBuffer bytesOf(Payload payload) {
        return payload.hasArray()
                ? ByteBuffer.wrap(payload.array(), payload.arrayOffset(), (int) payload.size())
                : ByteBuffer.wrap(payload.toByteArray());
    }
}

package io.parley.codec.xml;

import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import java.util.Objects;

/**
 * The XML message format of JXTA as text ("xml"), for readable traffic and for peers that have an XML parser but no
 * binary codec. It is larger and slower than the binary format. {@code docs/wire-format.md} specifies the format.
 *
 * <p>The format cannot represent every message. It rejects signatures, namespaces with a colon, and control characters
 * in namespaces and names with NOT_ENCODABLE. Payloads may contain any bytes; files, and payloads that are not text,
 * are encoded as base64.
 *
 * <p>The writer is strict and the reader is lenient. The reader never processes the declarations of a document type, so
 * there are no entities and no external resources. Sessions are stateless and thread-safe, and may be shared between
 * channels. The payloads of decoded messages share no memory with the buffer. Source of the format: JXTA v2.0 Protocols
 * Specification, "Message Formats".
 */
public final class XmlMessageCodec implements MessageCodec {
    /** The {@link #name} of this codec. */
    public static final String NAME = "xml";
    /** The {@link #contentType} of this codec. The specification defines none. */
    public static final String CONTENT_TYPE = "text/xml;charset=UTF-8";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String contentType() {
        return CONTENT_TYPE;
    }

    @Override
    public int maxStateBytes() {
        return 0;
    }

    @Override
    public CodecSession newSession(MessageLimits limits) {
        return new XmlCodecSession(Objects.requireNonNull(limits, "limits"));
    }

    @Override
    public String toString() {
        return NAME;
    }
}

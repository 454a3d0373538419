package io.parley.codec.xml;

import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import java.util.Objects;

/**
 * JXTA's XML message format as text ("xml"): for people who read along, and for peers that have an XML parser and
 * nothing else. It is larger and slower than the binary one. {@code docs/wire-format.md} has the rules.
 *
 * <p>It can't carry every message: signatures, namespaces with a colon, and control characters in namespaces and names
 * are refused with NOT_ENCODABLE. Contents may be anything; what is not text, or is a file, travels as base64.
 *
 * <p>It writes strictly and reads leniently, but never a document type's declarations, so there are no entities and
 * nothing is fetched. Its sessions keep no state: they may be shared between channels and threads, and the payloads of
 * what they decode share nothing with the buffer. Source of the format: JXTA v2.0 Protocols Specification, "Message
 * Formats".
 */
public final class XmlMessageCodec implements MessageCodec {
    /** The {@link #name} of this codec. */
    public static final String NAME = "xml";
    /** The {@link #contentType} of this codec; the specification has none for the format. */
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

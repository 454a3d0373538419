package io.parley.codec.xml.fastinfoset;

import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import java.util.Objects;

/**
 * Messages as Fast Infoset ("fastinfoset"): the document of the XML text codec in the binary form of ITU-T X.891. The
 * first message of a session, and any that begins with E0 00 00 01, is a complete document that every Fast Infoset parser
 * reads. Other messages go on with the tables of names, attribute values and short contents that the messages before them
 * have filled, so what comes again costs an octet or two. {@code docs/wire-format.md} has the layout and the bounds.
 *
 * <p>A session keeps a vocabulary: one session for one direction of one channel, messages in the order in which they
 * travel. It carries no signatures. Source of the format: ITU-T Rec. X.891 | ISO/IEC 24824-1, and the XML message format
 * of the JXTA v2.0 Protocols Specification.
 */
public final class FastInfosetMessageCodec implements MessageCodec {
    /** The {@link #name} of this codec. */
    public static final String NAME = "fastinfoset";
    /** The {@link #contentType} of this codec. */
    public static final String CONTENT_TYPE = "application/fastinfoset";

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
        return Math.max(DecoderVocabulary.MAX_STATE_BYTES, EncoderVocabulary.MAX_STATE_BYTES);
    }

    @Override
    public CodecSession newSession(MessageLimits limits) {
        return new FastInfosetCodecSession(Objects.requireNonNull(limits, "limits"));
    }

    @Override
    public String toString() {
        return NAME;
    }
}

package io.parley.codec.xml.fastinfoset;

import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import java.util.Objects;

/**
 * The message format Fast Infoset ("fastinfoset"): the document of the XML text codec in the binary form of ITU-T
 * X.891. The first message of a session, and each message that starts with E0 00 00 01, is a complete document that
 * every Fast Infoset parser can read. Other messages continue the tables of names, attribute values and short contents
 * that the previous messages have filled, so that a repeated value costs one or two octets. {@code docs/wire-format.md}
 * specifies the layout and the bounds.
 *
 * <p>A session has a vocabulary. It must be used for one direction of one channel, with all messages in the order of
 * sending. The format does not support signatures. Source of the format: ITU-T Rec. X.891 | ISO/IEC 24824-1, and the
 * XML message format of the JXTA v2.0 Protocols Specification.
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
    public boolean hasStatelessForm() {
        return true;
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

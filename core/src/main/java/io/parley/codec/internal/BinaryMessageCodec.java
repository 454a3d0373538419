package io.parley.codec.internal;

import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import java.util.Objects;

/**
 * The codec of JXTA's binary message format ("binary"). It writes wire version 0, byte for byte like JXSE 2.5, and
 * version 1 only for messages that version 0 cannot represent. It reads both. See {@code docs/wire-format.md}.
 *
 * <p>Its sessions are stateless and may be shared between channels and threads. Source of the format: JXTA v2.0 Protocols
 * Specification, "Message Formats", and the behavior of the JXSE 2.5 library.
 */
public final class BinaryMessageCodec implements MessageCodec {
    /** The {@link #name} of this codec. */
    public static final String NAME = "binary";
    /** The {@link #contentType} of this codec, that of JXTA. */
    public static final String CONTENT_TYPE = "application/x-jxta-msg";

    /** 64 KiB of content and its headers: of the smallest elements, about five thousand. */
    private static final int MAX_EVENT_LOOP_BYTES = (64 + 4) * 1024;

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

    /** {@inheritDoc} A larger message of few elements is decoded quickly too. */
    @Override
    public int maxEventLoopBytes() {
        return MAX_EVENT_LOOP_BYTES;
    }

    @Override
    public CodecSession newSession(MessageLimits limits) {
        return new BinaryCodecSession(Objects.requireNonNull(limits, "limits"));
    }

    @Override
    public String toString() {
        return NAME;
    }
}

package io.parley.codec;

import java.util.Objects;

/**
 * JXTA's binary message format ("binary"). It writes wire version 0, byte for byte as JXSE 2.5 does, and version 1 only
 * for messages that a version 0 reader could not take; it reads both. {@code docs/wire-format.md} has the tables.
 *
 * <p>Its sessions keep no state: they may be shared between channels and threads. Source of the format: JXTA v2.0 Protocols
 * Specification, "Message Formats", and what the JXSE 2.5 library does.
 */
public final class BinaryMessageCodec implements MessageCodec {
    /** The {@link #name} of this codec. */
    public static final String NAME = "binary";
    /** The {@link #contentType} of this codec, JXTA's. */
    public static final String CONTENT_TYPE = "application/x-jxta-msg";

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
        return new BinaryCodecSession(Objects.requireNonNull(limits, "limits"));
    }

    @Override
    public String toString() {
        return NAME;
    }
}

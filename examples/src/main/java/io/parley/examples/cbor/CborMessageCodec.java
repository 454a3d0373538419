package io.parley.examples.cbor;

import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;

/**
 * Encodes messages in CBOR (RFC 8949): a message is an array of elements; an element is an array of its namespace, name,
 * type and content, followed by the name, type and content of its signature if there is one.
 */
public final class CborMessageCodec implements MessageCodec {

    @Override
    public String name() {
        return "cbor";
    }

    @Override
    public String contentType() {
        return "application/cbor";
    }

    /** Returns 0: every message is self-contained, so threads may share a session. */
    @Override
    public int maxStateBytes() {
        return 0;
    }

    @Override
    public CodecSession newSession(MessageLimits limits) {
        return new CborSession(limits);
    }
}

package io.parley.examples.cbor;

import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;

/**
 * Messages in CBOR (RFC 8949): an array of elements, each an array of its namespace, name, type and content, and of the
 * name, type and content of its signature where it has one.
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

    /** Each message says all that it needs, so a session may be shared by threads. */
    @Override
    public int maxStateBytes() {
        return 0;
    }

    @Override
    public CodecSession newSession(MessageLimits limits) {
        return new CborSession(limits);
    }
}

package io.parley.codec;

/**
 * A wire format for messages. Implementations are found by {@link java.util.ServiceLoader} under this interface's name
 * and need a public constructor without parameters, or are passed in by hand. They are immutable and may be used from
 * any thread.
 */
public interface MessageCodec {

    /** The name that peers agree on a codec by: short, lower case, stable for ever. */
    String name();

    /** The MIME type of an encoded message, for transports that name it. */
    String contentType();

    /** A session for one direction of one channel. */
    CodecSession newSession(MessageLimits limits);
}

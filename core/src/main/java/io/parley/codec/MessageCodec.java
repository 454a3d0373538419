package io.parley.codec;

import io.parley.codec.internal.BinaryMessageCodec;

/**
 * A wire format for messages. Implementations are found by {@link java.util.ServiceLoader} under the name of this
 * interface, which requires a public constructor without parameters, or are passed to the builder of a peer or endpoint.
 * They must be immutable and thread-safe. A subclass of {@code MessageCodecContractTest} in {@code parley-testkit} tests
 * an implementation against this contract.
 */
public interface MessageCodec {

    /** Returns the name by which peers negotiate a codec: short, lower case, and never changed. */
    String name();

    /** Returns the MIME type of an encoded message, for transports that transmit it. */
    String contentType();

    /**
     * Returns the maximum memory, in bytes, that a session keeps between messages. It is charged to the peer's budget while
     * the channel is open. If it is 0, sessions are stateless: one session may be used from several threads at once, and
     * messages may be encoded out of order. Otherwise each session processes the messages of its channel one at a time,
     * in the order of transmission.
     */
    int maxStateBytes();

    /**
     * Returns the size of the largest encoded message, in bytes, that is decoded on an event loop. Larger ones are decoded on another
     * thread, so that they do not delay the other channels of that event loop, except for messages that
     * {@linkplain CodecSession#decodesQuickly are decoded quickly} nevertheless. A codec returns a larger value than the default if it
     * decodes each message of that size, whatever its content, in about a millisecond. The default is 64 KiB.
     */
    default int maxEventLoopBytes() {
        return 64 * 1024;
    }

    /**
     * Returns whether every decoding session of this codec, whatever it has decoded before, decodes the first message of every encoding
     * session, and continues as a new session does. Only then the codec can be used for messages that are encoded once for several
     * receivers. The default is that of a stateless codec.
     */
    default boolean hasStatelessForm() {
        return maxStateBytes() == 0;
    }

    /** Returns the binary codec: the message format of JXTA, specified by {@code docs/wire-format.md}. */
    static MessageCodec binary() {
        return new BinaryMessageCodec();
    }

    /** Creates a session for one direction of one channel. */
    CodecSession newSession(MessageLimits limits);
}

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

    /**
     * The most memory, in bytes, that a session keeps from one message to the next; it is charged to the peer's budget
     * while the channel is open. 0 when sessions keep nothing: then one may be used from many threads at once, and
     * messages are encoded ahead of their turn. Otherwise each session sees the messages of its channel one at a time,
     * in the order in which they travel.
     */
    int maxStateBytes();

    /** A session for one direction of one channel. */
    CodecSession newSession(MessageLimits limits);
}

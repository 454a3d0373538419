package io.parley.endpoint;

import io.parley.id.PeerId;
import io.parley.message.Message;

/**
 * A message with its sender. The listener of a service receives it on the event loop of the connection and must not block.
 * The messages of one messenger arrive in order, one at a time. Messages of different messengers may arrive concurrently.
 *
 * <p>The listener must {@linkplain #release release} each message, then or later, on any thread. Until then the message takes room in the
 * window of its sender, so a listener that releases nothing stops its senders. Only the messages of a
 * {@linkplain ServiceOptions#withZeroCopy zero-copy} service are released when the listener returns. If the listener throws, the message is
 * released and the connection stays open.
 */
public interface ReceivedMessage {

    /** Returns the peer id of the sender. */
    PeerId from();

    /**
     * Returns the message, in heap memory that may be kept, unless the service is a
     * {@linkplain ServiceOptions#withZeroCopy zero-copy} one or the listener {@linkplain ChannelListener#isBorrowing borrows} large
     * messages. The first call decodes elements that the sender has encoded, see {@link ServiceOptions#withDecoding}; it must precede {@link
     * #release}.
     *
     * @throws io.parley.error.ParleyException if the elements cannot be decoded: MALFORMED_MESSAGE, LIMIT_EXCEEDED or BUSY because of
     *     their size, or NO_COMMON_CODEC because this peer lacks data such as a key. The endpoint has counted and logged that
     */
    Message message();

    /**
     * Returns the message without decoding it: as it was received, or as {@link #message} has decoded it before. The namespaces, the types
     * and the order of the elements are those of the decoded message. The names of encoded elements begin with a tilde. Empty after
     * {@link #release} of a message with encoded elements that was not decoded.
     */
    default Message undecoded() {
        return message();
    }

    /** Gives the room of this message in the window back to the sender. Thread-safe. Further calls have no effect. */
    void release();
}

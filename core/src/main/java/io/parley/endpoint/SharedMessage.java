package io.parley.endpoint;

import io.parley.endpoint.internal.OnceEncodedMessage;
import io.parley.message.Message;

/**
 * A message for several messengers: see {@link Messenger#offer}. It is encoded once for each message codec, and all messengers send the
 * same bytes. Created by {@link #of}; not for other implementations. Immutable and thread-safe.
 */
public interface SharedMessage {

    /**
     * Returns a shared message. Borrowed payloads are copied.
     *
     * @throws IllegalStateException if a borrowed payload has been returned already
     */
    static SharedMessage of(Message message) {
        return new OnceEncodedMessage(message);
    }

    /** Returns the message. */
    Message message();
}

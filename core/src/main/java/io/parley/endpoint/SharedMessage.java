package io.parley.endpoint;

import io.parley.endpoint.internal.messenger.OnceEncodedMessage;
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
        return new OnceEncodedMessage(message, false);
    }

    /**
     * Returns a message for that number of messengers. With one, a short message needs no encoded form of its own, which saves an array
     * and a copy.
     *
     * @param messengers the expected number of messengers; any number may send the message
     * @throws IllegalStateException as {@link #of(Message)}
     */
    static SharedMessage of(Message message, int messengers) {
        return new OnceEncodedMessage(message, messengers == 1);
    }

    /** Returns the message. */
    Message message();
}

package io.parley.transport.udp;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the signatures of messages. It keeps the last result, because all transports on the same sockets receive a
 * message one after another, and each verification takes 0.1 to 0.2 ms. Not thread-safe.
 */
final class MessageVerifier {

    private @Nullable MessageKey key;
    private int port;
    private byte[] message = {};
    private boolean valid;

    /** Returns whether the sender has signed the message under this key for the channel at this port. */
    boolean verify(SignedMessage signed, MessageKey messageKey, int channelPort) {
        byte[] bytes = signed.bytes();
        if (!messageKey.equals(key) || channelPort != port || !Arrays.equals(bytes, message)) {
            valid = signed.isSignedBy(messageKey, channelPort);
            key = messageKey;
            port = channelPort;
            message = bytes;
        }
        return valid;
    }
}

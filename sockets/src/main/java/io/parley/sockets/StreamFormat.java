package io.parley.sockets;

import io.parley.common.internal.TextSanitizer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a stream. Each has one element with the next bytes; their borders have no meaning. The end of a direction, and the
 * reset of a stream, are those of the pipe.
 */
final class StreamFormat {

    /** The prefix of the pipe name of a service, so that no program takes the acceptor of messages for a socket service. */
    private static final String PIPE_PREFIX = "socket:";

    private static final String ELEMENT = "s";

    /** The most bytes in a sent message: some more than the usual size of a buffer, so that a few bytes more are no second message. */
    static final int MAX_SENT_BYTES = 80 * 1024;

    /** The most bytes in a received message. */
    static final int MAX_RECEIVED_BYTES = 1024 * 1024;

    /** The element of the hello of a connecting peer, with the version of this format. */
    private static final MessageElement VERSION =
            MessageElement.ofText("Version", "1").withNamespace("parley.socket");

    static final Message HELLO = Message.of(VERSION);

    private StreamFormat() {}

    static String pipeName(String service) {
        return PIPE_PREFIX + service;
    }

    /** @throws IllegalArgumentException if the name of the pipe is not that of a service */
    static String serviceOf(@Nullable String pipeName) {
        if (pipeName == null || !pipeName.startsWith(PIPE_PREFIX)) {
            throw new IllegalArgumentException("name of the pipe: "
                    + (pipeName == null ? "none" : TextSanitizer.quote(pipeName))
                    + " (expected: \"" + PIPE_PREFIX + "\" and the name of a service)");
        }
        return pipeName.substring(PIPE_PREFIX.length());
    }

    /** @throws ParleyException {@link ErrorCode#VERSION_UNSUPPORTED} if the remote peer speaks no version of this format */
    static void checkHello(Message hello) {
        String version = hello.element(VERSION.namespace(), VERSION.name())
                .filter(element -> element.size() <= 8)
                .map(MessageElement::text)
                .orElse("");
        if (!version.equals("1")) {
            throw ErrorCode.VERSION_UNSUPPORTED.exception(
                    "version of the socket stream: not given or unknown (expected: 1)");
        }
    }

    /** Returns a message whose payload is the remaining bytes of the buffer, which is borrowed until the scope ends. */
    static Message data(BorrowScope scope, ByteBuffer bytes) {
        return Message.of(MessageElement.of("", ELEMENT, MessageElement.TYPE_BYTES, Payload.borrowed(scope, bytes)));
    }

    /** Returns the bytes of a message; {@code null} if it is not a message of a stream. */
    static @Nullable Payload data(Message message) {
        if (message.size() != 1) {
            return null;
        }
        MessageElement element = message.elements().get(0);
        boolean valid = element.name().equals(ELEMENT)
                && element.namespace().isEmpty()
                && element.size() > 0
                && element.size() <= MAX_RECEIVED_BYTES;
        return valid ? element.payload() : null;
    }
}

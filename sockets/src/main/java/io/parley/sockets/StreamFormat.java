package io.parley.sockets;

import io.parley.codec.MessageLimits;
import io.parley.common.internal.TextSanitizer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
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

    /** The least that limits reduce a message to: a peer that receives no element of that size cannot open a pipe. */
    private static final int MIN_SENT_BYTES = 32;

    private static final String NAMESPACE = "parley.socket";

    /** The element of the hello with the version of this format. */
    private static final MessageElement VERSION =
            MessageElement.ofText("Version", "1").withNamespace(NAMESPACE);

    /** The element of the hello with the most bytes in a message to its sender, if they are fewer than {@link #MAX_SENT_BYTES}. */
    private static final String MAX_BYTES = "MaxBytes";

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,8}");

    /** The hello of a peer that receives messages of the usual size. */
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

    /** Returns the hello of a peer with these limits. */
    static Message hello(MessageLimits limits) {
        int most = maxSentBytes(limits);
        return most == MAX_SENT_BYTES
                ? HELLO
                : Message.of(
                        VERSION,
                        MessageElement.ofText(MAX_BYTES, Integer.toString(most)).withNamespace(NAMESPACE));
    }

    /** Returns the most bytes of the stream in a message to a peer with that hello, from a peer with these limits. */
    static int maxSentBytes(MessageLimits limits, Message hello) {
        return hello.element(NAMESPACE, MAX_BYTES)
                .filter(element -> element.size() <= 8)
                .map(StreamFormat::text)
                .filter(text -> NUMBER.matcher(text).matches())
                .map(text -> Math.max(MIN_SENT_BYTES, Math.min(Integer.parseInt(text), maxSentBytes(limits))))
                .orElse(maxSentBytes(limits));
    }

    /** Returns half of the limit of a message, because the element takes bytes, and a codec may write bytes as text. */
    private static int maxSentBytes(MessageLimits limits) {
        long most = Math.min(limits.maxElementBytes(), limits.maxMessageBytes() / 2);
        return (int) Math.max(MIN_SENT_BYTES, Math.min(most, MAX_SENT_BYTES));
    }

    /** @throws ParleyException {@link ErrorCode#VERSION_UNSUPPORTED} if the remote peer speaks no version of this format */
    static void checkHello(Message hello) {
        String version = hello.element(VERSION.namespace(), VERSION.name())
                .filter(element -> element.size() <= 8)
                .map(StreamFormat::text)
                .orElse("");
        if (!version.equals("1")) {
            throw ErrorCode.VERSION_UNSUPPORTED.exception(
                    "version of the socket stream: not given or unknown (expected: 1)");
        }
    }

    /** Returns the text in UTF-8, whatever charset the remote peer names in the type of the element. */
    private static String text(MessageElement element) {
        return element.payload().text(StandardCharsets.UTF_8);
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

package io.parley.examples.conversation;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import org.jspecify.annotations.Nullable;

/** Defines the elements that a conversation adds to messages, in a namespace of their own. */
final class ConversationProtocol {

    static final String NAMESPACE = "talk";

    /** In the first message of a guest: the topic of the conversation. */
    static final String TOPIC = "topic";
    /** In the first message of either peer: the id of the pipe on which it listens. */
    static final String PIPE = "pipe";
    /** In the first message of either peer: the version of this protocol. */
    static final String VERSION = "version";
    /** The only element of a message that the receiver ignores. */
    static final String PROBE = "probe";
    /** In the last message: empty without a failure, otherwise the number of an {@link ErrorCode} and its message. */
    static final String END = "end";

    /** The first version had no element for it. It numbered the messages. */
    private static final String CURRENT_VERSION = "2";

    private static final int MAX_REASON_CHARS = 500;

    private ConversationProtocol() {}

    static MessageElement element(String name, String text) {
        return MessageElement.ofText(name, text).withNamespace(NAMESPACE);
    }

    static MessageElement version() {
        return element(VERSION, CURRENT_VERSION);
    }

    /** Requires that the first message of the other peer has the version of this peer. */
    static void requireVersion(Message first) {
        if (!CURRENT_VERSION.equals(text(first, VERSION))) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "the other peer runs another version of parley; use the same version at both ends");
        }
    }

    static @Nullable String text(Message message, String name) {
        return message.element(NAMESPACE, name).map(MessageElement::text).orElse(null);
    }

    static PipeId pipe(Message message) {
        String text = text(message, PIPE);
        if (text == null) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("element " + PIPE + " is missing (expected: a pipe id)");
        }
        try {
            return PipeId.parse(text);
        } catch (IllegalArgumentException e) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("element " + PIPE + ": " + e.getMessage(), e);
        }
    }

    static MessageElement end(@Nullable ParleyException failure) {
        return element(END, failure == null ? "" : failure.code().toWire().number() + " " + failure.getMessage());
    }

    /** Returns the failure in an {@link #END} element, or {@code null} if it is empty. */
    static @Nullable ParleyException failure(String end) {
        if (end.isEmpty()) {
            return null;
        }
        int space = end.indexOf(' ');
        String reason = end.substring(space + 1);
        ErrorCode code = codeOf(space < 0 ? "" : end.substring(0, space));
        return code.exception(
                "the other peer reports: " + reason.substring(0, Math.min(MAX_REASON_CHARS, reason.length())));
    }

    private static ErrorCode codeOf(String number) {
        try {
            ErrorCode code = ErrorCode.ofWire(Integer.parseInt(number));
            return code == null ? ErrorCode.DISCONNECTED : code;
        } catch (NumberFormatException e) {
            return ErrorCode.DISCONNECTED;
        }
    }
}

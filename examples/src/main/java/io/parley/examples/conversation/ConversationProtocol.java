package io.parley.examples.conversation;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import org.jspecify.annotations.Nullable;

/** The elements that conversations add to messages, in a namespace of their own. */
final class ConversationProtocol {

    static final String NAMESPACE = "talk";

    /** In the first message of a guest: what it wants to talk about. */
    static final String TOPIC = "topic";
    /** In the first message of either side: the pipe on which it listens. */
    static final String PIPE = "pipe";
    /** In every message of a conversation: its number, from 0, so that a gap is noticed. */
    static final String NUMBER = "number";
    /** In the last message: empty when all went well, else the number of an {@link ErrorCode} and a sentence. */
    static final String END = "end";

    private static final int MAX_REASON = 500;

    private ConversationProtocol() {}

    static MessageElement element(String name, String text) {
        return MessageElement.ofText(name, text).withNamespace(NAMESPACE);
    }

    static @Nullable String text(Message message, String name) {
        return message.element(NAMESPACE, name).map(MessageElement::text).orElse(null);
    }

    static PipeId pipe(Message message) {
        String text = text(message, PIPE);
        if (text == null) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("the other side names no pipe to answer on");
        }
        try {
            return PipeId.parse(text);
        } catch (IllegalArgumentException e) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "the other side names a pipe that can't be: " + e.getMessage(), e);
        }
    }

    static MessageElement end(@Nullable ParleyException failure) {
        return element(END, failure == null ? "" : failure.code().toWire().number() + " " + failure.getMessage());
    }

    /** Why the other side ended the conversation, or null when all went well. */
    static @Nullable ParleyException failure(String end) {
        if (end.isEmpty()) {
            return null;
        }
        int space = end.indexOf(' ');
        String reason = end.substring(space + 1);
        ErrorCode code = codeOf(space < 0 ? "" : end.substring(0, space));
        return code.exception("the other side says: " + reason.substring(0, Math.min(MAX_REASON, reason.length())));
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

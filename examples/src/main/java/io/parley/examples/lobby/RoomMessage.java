package io.parley.examples.lobby;

import io.parley.examples.chat.ChatLine;
import io.parley.message.Message;
import java.util.Optional;

/**
 * A message between two participants.
 *
 * @param kind the kind of message
 * @param line the name of the sender, and the text of a {@link Kind#LINE}
 */
record RoomMessage(Kind kind, ChatLine line) {

    /** The kind of message. The names travel as text. */
    enum Kind {
        /** Introduces the sender and requests a {@link #WELCOME}. */
        HELLO,
        /** Introduces the sender, in response to {@link #HELLO}. */
        WELCOME,
        /** Carries a line for all participants. */
        LINE,
        /** Announces that the sender leaves. */
        BYE
    }

    static RoomMessage of(Kind kind, String name) {
        return new RoomMessage(kind, new ChatLine(name, ""));
    }

    static RoomMessage line(ChatLine line) {
        return new RoomMessage(Kind.LINE, line);
    }

    /** Parses a message; empty if its kind is unknown. */
    static Optional<RoomMessage> of(Message message) {
        String kind = message.text("kind").orElse("");
        for (Kind known : Kind.values()) {
            if (known.name().equals(kind)) {
                return Optional.of(new RoomMessage(
                        known,
                        new ChatLine(
                                message.text("name").orElse(""),
                                message.text("text").orElse(""))));
            }
        }
        return Optional.empty();
    }

    Message toMessage() {
        return Message.builder()
                .add("kind", kind.name())
                .add("name", line.name())
                .add("text", line.text())
                .build();
    }
}

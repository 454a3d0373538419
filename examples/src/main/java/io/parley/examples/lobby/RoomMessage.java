package io.parley.examples.lobby;

import io.parley.examples.chat.ChatLine;
import io.parley.message.Message;
import java.util.Optional;

/**
 * What one participant tells another.
 *
 * @param kind what it is about
 * @param line who says it, and what, if it is a line
 */
record RoomMessage(Kind kind, ChatLine line) {

    /** What it is about. */
    enum Kind {
        /** Somebody is here who has not heard of the other yet, and wants to. */
        HELLO,
        /** The answer to that. */
        WELCOME,
        /** A line for all. */
        LINE,
        /** Somebody leaves. */
        BYE
    }

    static RoomMessage of(Kind kind, String name) {
        return new RoomMessage(kind, new ChatLine(name, ""));
    }

    static RoomMessage line(ChatLine line) {
        return new RoomMessage(Kind.LINE, line);
    }

    /** Empty when it is nothing that this version knows. */
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

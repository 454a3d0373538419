package io.parley.examples.chat;

import io.parley.examples.console.JsonObject;
import io.parley.examples.console.TextFormatter;
import io.parley.message.Message;

/**
 * What appears in the room: a line that somebody said, or a note when the name is empty. On the way from a guest to the
 * host the name is left out, since the host knows it.
 *
 * @param name who said it, empty for notes
 * @param text what was said, cut to {@value #MAX_CHARS} characters; nothing in it moves a terminal's cursor
 */
public record ChatLine(String name, String text) {

    static final int MAX_CHARS = 4096;
    static final int MAX_NAME_CHARS = 32;

    /** Cuts both and takes out what would move a cursor. */
    public ChatLine {
        name = cut(name, MAX_NAME_CHARS);
        text = cut(text, MAX_CHARS);
    }

    /** A line that nobody said. */
    public static ChatLine note(String text) {
        return new ChatLine("", text);
    }

    static ChatLine of(Message message) {
        return new ChatLine(
                message.text("name").orElse(""), message.text("text").orElse(""));
    }

    Message toMessage() {
        return Message.builder().add("name", name).add("text", text).build();
    }

    /** The same text, said by somebody else. */
    public ChatLine by(String speaker) {
        return new ChatLine(speaker, text);
    }

    JsonObject toJson() {
        return JsonObject.object().add("name", name).add("text", text);
    }

    private static String cut(String text, int maxChars) {
        String line = TextFormatter.oneLine(text).strip();
        return line.length() <= maxChars ? line : line.substring(0, maxChars);
    }

    @Override
    public String toString() {
        return name.isEmpty() ? "* " + text : name + ": " + text;
    }
}

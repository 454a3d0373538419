package io.parley.examples.chat;

import io.parley.examples.console.JsonObject;
import io.parley.examples.console.TextFormatter;
import io.parley.message.Message;

/**
 * A line in a chat room: the line of a participant, or a note if the name is empty. A guest sends its lines to the host
 * without a name, because the host knows it.
 *
 * @param name the name of the participant; empty for notes
 * @param text the text, at most {@value #MAX_CHARS} characters without control characters
 */
public record ChatLine(String name, String text) {

    static final int MAX_CHARS = 4096;
    static final int MAX_NAME_CHARS = 32;

    /** Shortens both texts and removes control characters. */
    public ChatLine {
        name = cut(name, MAX_NAME_CHARS);
        text = cut(text, MAX_CHARS);
    }

    /** Returns a note, which is a line without a participant. */
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

    /** Returns a line with the same text and another name. */
    public ChatLine withName(String value) {
        return new ChatLine(value, text);
    }

    JsonObject toJson() {
        return JsonObject.object()
                .add("event", name.isEmpty() ? "note" : "message")
                .add("name", name)
                .add("text", text);
    }

    /** Returns a name with a number, which makes it different from the same name with another number. */
    public static String numbered(String name, int number) {
        String suffix = "-" + number;
        return cut(name, MAX_NAME_CHARS - suffix.length()) + suffix;
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

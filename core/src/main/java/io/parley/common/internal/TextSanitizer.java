package io.parley.common.internal;

import io.parley.error.internal.PrintableText;
import java.util.Objects;

/**
 * Sanitizes untrusted text for exceptions and logs, where line breaks, escape sequences of a terminal and characters that
 * change the direction of writing are harmful.
 */
public final class TextSanitizer {

    private static final int MAX_QUOTED_CHARS = 80;

    private TextSanitizer() {}

    /** Returns the text in double quotes, {@linkplain #escape escaped} and clipped. For text without meaning to a reader. */
    public static String quote(String text) {
        return '"' + escape(text) + '"';
    }

    /** Returns the text with all characters escaped that are not printable ASCII, and clipped to 80 characters. */
    public static String escape(String text) {
        StringBuilder escaped = new StringBuilder();
        int length = Math.min(text.length(), MAX_QUOTED_CHARS);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c <= '~') {
                escaped.append(c);
            } else {
                escaped.append(String.format("\\u%04x", (int) c));
            }
        }
        return text.length() > length ? escaped.append("...").toString() : escaped.toString();
    }

    /**
     * Returns the text in one line: control characters, format characters, line separators and unpaired surrogates are
     * replaced by spaces. For text in any language.
     */
    public static String oneLine(String text) {
        return PrintableText.of(text);
    }

    /**
     * Returns a failure whose stack trace can be logged. For failures of user code, whose messages may quote text of a
     * remote peer. A {@link io.parley.error.ParleyException} needs no conversion.
     */
    public static Throwable printable(Throwable failure) {
        return Objects.requireNonNull(PrintableText.of(failure));
    }
}

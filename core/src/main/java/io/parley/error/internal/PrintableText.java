package io.parley.error.internal;

import io.parley.error.ParleyException;
import org.jspecify.annotations.Nullable;

/**
 * Makes text safe for a log or a terminal. Harmful are control characters (C0, DEL and C1, thus also line breaks and escape
 * sequences), format characters (changes of direction, characters without width), line and paragraph separators, and
 * unpaired surrogates. Other packages use {@code TextSanitizer}, which delegates to this class.
 */
public final class PrintableText {

    /** Longer chains of causes are cut. A chain may also have a cycle. */
    private static final int MAX_CAUSES = 16;

    private PrintableText() {}

    /** Returns the text with a space in place of each harmful character. */
    public static String of(String text) {
        if (isPrintable(text)) {
            return text;
        }
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().map(c -> isHarmful(c) ? ' ' : c).forEach(line::appendCodePoint);
        return line.toString();
    }

    /**
     * Returns a failure whose stack trace can be logged: the same one if it and its causes have printable descriptions,
     * otherwise a copy with printable ones. A {@link ParleyException} is printable from the beginning. A failure that cannot be
     * described is replaced by the name of its class.
     */
    public static @Nullable Throwable of(@Nullable Throwable failure) {
        try {
            return printable(failure);
        } catch (RuntimeException | Error e) { // of an overridden method, or because there is no memory
            return failure == null
                    ? null
                    : new PrintableCause(failure.getClass().getName(), failure, null);
        }
    }

    private static @Nullable Throwable printable(@Nullable Throwable failure) {
        int causes = 0;
        for (Throwable next = failure; next != null && !(next instanceof ParleyException); next = next.getCause()) {
            if (++causes > MAX_CAUSES || !isPrintable(next.toString()) || !areSuppressedPrintable(next)) {
                return copy(failure, MAX_CAUSES);
            }
        }
        return failure;
    }

    private static @Nullable Throwable copy(@Nullable Throwable failure, int maxCauses) {
        return failure == null || failure instanceof ParleyException
                ? failure
                : new PrintableCause(
                        of(failure.toString()),
                        failure,
                        maxCauses > 1 ? copy(failure.getCause(), maxCauses - 1) : null);
    }

    private static boolean areSuppressedPrintable(Throwable failure) {
        for (Throwable suppressed : failure.getSuppressed()) {
            if (suppressed.getCause() != null || !isPrintable(suppressed.toString())) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPrintable(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c <= '~') {
                continue; // the frequent case
            }
            int codePoint = text.codePointAt(i);
            if (isHarmful(codePoint)) {
                return false;
            }
            i += Character.charCount(codePoint) - 1;
        }
        return true;
    }

    private static boolean isHarmful(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}

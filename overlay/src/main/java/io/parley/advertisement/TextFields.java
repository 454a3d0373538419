package io.parley.advertisement;

import org.jspecify.annotations.Nullable;

/** Normalizes optional texts of advertisements to the form that a document preserves. */
final class TextFields {
    private TextFields() {}

    /** Trims a text, because documents do not preserve white space at the ends; returns {@code null} if nothing remains. */
    static @Nullable String orNull(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String trimmed = text.trim();
        return trimmed.isEmpty() ? null : trimmed;
    }

    /** Trims a text. Fails with IllegalArgumentException if nothing remains. */
    static String required(String field, String text) {
        String trimmed = text.trim();
        if (trimmed.isEmpty()) {
            throw new IllegalArgumentException(field + ": empty (expected: at least one character)");
        }
        return trimmed;
    }
}

package io.parley.advertisement;

import org.jspecify.annotations.Nullable;

/** Optional texts of advertisements, in the one form in which they survive a document. */
final class TextFields {
    private TextFields() {}

    /** Without white space at the ends, which documents don't keep; {@code null} when nothing is left. */
    static @Nullable String orNull(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String trimmed = text.trim();
        return trimmed.isEmpty() ? null : trimmed;
    }

    /** Without white space at the ends. Fails with IllegalArgumentException when nothing is left. */
    static String required(String field, String text) {
        String trimmed = text.trim();
        if (trimmed.isEmpty()) {
            throw new IllegalArgumentException(field + ": empty (expected: at least one character)");
        }
        return trimmed;
    }
}

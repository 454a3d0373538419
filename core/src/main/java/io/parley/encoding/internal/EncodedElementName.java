package io.parley.encoding.internal;

import io.parley.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * The name of an element on the wire, which contains the encoding scheme of the element. The forms are:
 *
 * <pre>
 *   name on the wire      meaning
 *   ~SCHEME~NAME          the element NAME, encoded by SCHEME
 *   ~~NAME                the element ~NAME, not encoded: the first tilde is an escape
 *   NAME                  the element NAME, not encoded, whose name does not begin with a tilde
 * </pre>
 *
 * <p>The name of a scheme is never empty and contains no tilde, so the forms are unambiguous.
 *
 * @param scheme the name of the scheme, or {@code null} if the element is not encoded
 * @param name the original name of the element
 */
record EncodedElementName(@Nullable String scheme, String name) {
    private static final char MARK = '~';
    private static final int MAX_SCHEME_CHARS = 32;

    /** Parses a name from the wire. Fails with MALFORMED_MESSAGE if it has none of the three forms. */
    static EncodedElementName ofWireName(String wireName) {
        if (wireName.isEmpty() || wireName.charAt(0) != MARK) {
            return new EncodedElementName(null, wireName);
        }
        int end = wireName.indexOf(MARK, 1);
        if (end == 1) {
            return new EncodedElementName(null, wireName.substring(1));
        }
        if (end < 0 || !isScheme(wireName, 1, end)) {
            String start = wireName.substring(0, Math.min(wireName.length(), MAX_SCHEME_CHARS + 2));
            throw ErrorCode.MALFORMED_MESSAGE.exception(
                    "element name: starts with '" + start + "' (expected: ~~ or ~SCHEME~ if it starts with a tilde)");
        }
        return new EncodedElementName(wireName.substring(1, end), wireName.substring(end + 1));
    }

    /** Returns the name on the wire. */
    String wireName() {
        if (scheme != null) {
            return MARK + scheme + MARK + name;
        }
        return name.isEmpty() || name.charAt(0) != MARK ? name : MARK + name;
    }

    /** Returns the name of a scheme, or fails with IllegalArgumentException if it is not valid. */
    static String checkedScheme(String name) {
        if (!isScheme(name, 0, name.length())) {
            throw new IllegalArgumentException("name of an encoding scheme: '" + name + "' (expected: 1 to "
                    + MAX_SCHEME_CHARS + " of a-z, 0-9, '.', '-')");
        }
        return name;
    }

    private static boolean isScheme(String text, int start, int end) {
        for (int i = start; i < end; i++) {
            char c = text.charAt(i);
            boolean allowed = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
            if (!allowed) {
                return false;
            }
        }
        return start < end && end - start <= MAX_SCHEME_CHARS;
    }
}

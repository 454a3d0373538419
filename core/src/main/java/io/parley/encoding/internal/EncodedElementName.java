package io.parley.encoding.internal;

import io.parley.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * How the name of an element tells whether it is encoded, and by what. The one place that knows:
 *
 * <pre>
 *   name on the wire      meaning
 *   ~SCHEME~NAME          the element NAME, encoded by SCHEME
 *   ~~NAME                the element ~NAME, not encoded: the first tilde is an escape
 *   NAME                  the element NAME, not encoded, whose name does not begin with a tilde
 * </pre>
 *
 * <p>A scheme's name is never empty and has no tilde, so each name on the wire has one meaning.
 *
 * @param scheme the scheme's name, {@code null} for an element that is not encoded
 * @param name the name that the application gave
 */
record EncodedElementName(@Nullable String scheme, String name) {
    private static final char MARK = '~';
    private static final int MAX_SCHEME_CHARS = 32;

    /** Reads a name that came over the wire; fails with MALFORMED_MESSAGE when it has none of the three forms. */
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
                    "element name: begins with '" + start + "' (expected: ~~ or ~SCHEME~ after a tilde)");
        }
        return new EncodedElementName(wireName.substring(1, end), wireName.substring(end + 1));
    }

    /** The name for the wire. */
    String wireName() {
        if (scheme != null) {
            return MARK + scheme + MARK + name;
        }
        return name.isEmpty() || name.charAt(0) != MARK ? name : MARK + name;
    }

    /** Fails with IllegalArgumentException unless a scheme may be named so. */
    static String checkedScheme(String name) {
        if (!isScheme(name, 0, name.length())) {
            throw new IllegalArgumentException("encoding scheme: named '" + name + "' (expected: 1 to "
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

package io.parley.encoding.internal;

import io.parley.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * The name of an element on the wire, which contains the encoding schemes of the element. The forms are:
 *
 * <pre>
 *   name on the wire      meaning
 *   ~SCHEME~INNER         the element with the wire name INNER, encoded by SCHEME
 *   ~+SCHEME~INNER        the same; the state of SCHEME begins with this element
 *   ~~NAME                the element ~NAME, not encoded: the first tilde is an escape
 *   NAME                  the element NAME, not encoded, whose name does not begin with a tilde
 * </pre>
 *
 * <p>The name of a scheme is never empty and contains neither a tilde nor a plus sign, so the forms are unambiguous.
 *
 * @param scheme the name of the outermost scheme, or {@code null} if the element is not encoded
 * @param starts whether the state of the scheme begins with this element
 * @param inner  the wire name of the element before the outermost encoding; the original name if the element is not encoded
 */
record EncodedElementName(@Nullable String scheme, boolean starts, String inner) {
    private static final char MARK = '~';
    private static final char START = '+';
    private static final int MAX_SCHEME_CHARS = 32;

    /** Parses a name from the wire. Fails with MALFORMED_MESSAGE if it has none of the forms. The inner name is not parsed. */
    static EncodedElementName ofWireName(String wireName) {
        if (!isMarked(wireName)) {
            return new EncodedElementName(null, false, wireName);
        }
        int end = wireName.indexOf(MARK, 1);
        if (end == 1) {
            return new EncodedElementName(null, false, wireName.substring(1));
        }
        boolean starts = wireName.length() > 1 && wireName.charAt(1) == START;
        int start = starts ? 2 : 1;
        if (end < 0 || !isScheme(wireName, start, end)) {
            String shown = wireName.substring(0, Math.min(wireName.length(), MAX_SCHEME_CHARS + 3));
            throw ErrorCode.MALFORMED_MESSAGE.exception("element name: starts with '" + shown
                    + "' (expected: ~~, ~SCHEME~ or ~+SCHEME~ if it starts with a tilde)");
        }
        return new EncodedElementName(wireName.substring(start, end), starts, wireName.substring(end + 1));
    }

    /** Returns the wire name of an element that is not encoded. */
    static String escaped(String name) {
        return isMarked(name) ? MARK + name : name;
    }

    /** Returns the name on the wire. */
    String wireName() {
        return scheme == null ? escaped(inner) : MARK + (starts ? "+" : "") + scheme + MARK + inner;
    }

    /** Returns whether a wire name contains a further encoding. */
    static boolean isEncoded(String wireName) {
        return isMarked(wireName) && (wireName.length() == 1 || wireName.charAt(1) != MARK);
    }

    /** Returns whether a wire name differs from that of the element: it is encoded or escaped. */
    static boolean isMarked(String name) {
        return !name.isEmpty() && name.charAt(0) == MARK;
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

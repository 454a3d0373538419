package io.parley.codec.xml.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Tests for the characters that XML 1.0 allows, literally or by reference: tab, line feed, carriage return, and U+0020
 * to U+10FFFF except surrogates, U+FFFE and U+FFFF.
 */
final class XmlCharacters {
    /** The result of {@link #utf8Length} for a string with a character that XML does not allow. */
    static final int NOT_XML = -1;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long EACH_20 = 0x2020_2020_2020_2020L;
    private static final long EACH_80 = 0x8080_8080_8080_8080L;

    private XmlCharacters() {}

    /** Returns the length of a string in bytes of UTF-8, or {@link #NOT_XML}. */
    static int utf8Length(String string) {
        int chars = string.length();
        int bytes = chars;
        for (int i = 0; i < chars; i++) {
            char c = string.charAt(i);
            if (c >= ' ' && c < 0x80) {
                continue;
            }
            if (c < ' ') {
                if (!isWhitespace(c)) {
                    return NOT_XML;
                }
            } else if (c < 0x800) {
                bytes += 1;
            } else if (!Character.isSurrogate(c)) {
                if (c >= 0xFFFE) {
                    return NOT_XML;
                }
                bytes += 2;
            } else if (isPair(string, i)) {
                bytes += 2; // four bytes for two chars
                i++;
            } else {
                return NOT_XML;
            }
        }
        return bytes;
    }

    /** Returns the first character that XML does not allow, for an error message; for example {@code U+0000}. */
    static String firstInvalid(String string) {
        for (int i = 0; i < string.length(); i++) {
            if (utf8Length(string.substring(i, i + 1)) == NOT_XML) {
                if (isPair(string, i)) {
                    i++;
                } else {
                    return String.format("U+%04X", (int) string.charAt(i));
                }
            }
        }
        return "none";
    }

    private static boolean isPair(String string, int i) {
        return Character.isHighSurrogate(string.charAt(i))
                && i + 1 < string.length()
                && Character.isLowSurrogate(string.charAt(i + 1));
    }

    /** Returns whether bytes are valid UTF-8 of characters that XML allows. */
    static boolean isUtf8(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int i = offset;
        while (i < end) {
            byte b = bytes[i];
            if (b >= ' ') { // ASCII, because all other bytes are negative
                i++;
                while (i <= end - Long.BYTES && isPlainAscii((long) LONGS.get(bytes, i))) {
                    i += Long.BYTES;
                }
            } else if (b >= 0) {
                if (!isWhitespace((char) b)) {
                    return false;
                }
                i++;
            } else {
                int size = sequenceLength(bytes, i, end);
                if (size == 0) {
                    return false;
                }
                i += size;
            }
        }
        return true;
    }

    /** Returns whether all eight bytes are ASCII characters, without control characters below the space. */
    private static boolean isPlainAscii(long eight) {
        return ((eight | (eight - EACH_20)) & EACH_80) == 0;
    }

    /** Returns whether bytes are ASCII characters that XML allows. */
    static boolean isAscii(byte[] bytes, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            byte b = bytes[i];
            if (b < ' ' && (b < 0 || !isWhitespace((char) b))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the length of the sequence of two to four bytes at {@code i}, or 0 if it is malformed or its character is
     * not allowed in XML.
     */
    private static int sequenceLength(byte[] bytes, int i, int end) {
        int lead = bytes[i] & 0xFF;
        if (lead < 0xC2 || lead > 0xF4) {
            return 0;
        }
        int size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (size > end - i) {
            return 0;
        }
        int codePoint = lead & (0x7F >> size);
        for (int k = 1; k < size; k++) {
            if ((bytes[i + k] & 0xC0) != 0x80) {
                return 0;
            }
            codePoint = codePoint << 6 | (bytes[i + k] & 0x3F);
        }
        boolean valid = switch (size) {
            case 2 -> true; // the smallest lead excludes overlong forms
            case 3 -> codePoint >= 0x800 && codePoint < 0xFFFE && (codePoint < 0xD800 || codePoint > 0xDFFF);
            default -> codePoint >= 0x10000 && codePoint <= 0x10FFFF;
        };
        return valid ? size : 0;
    }

    private static boolean isWhitespace(char c) {
        return c == '\t' || c == '\n' || c == '\r';
    }
}

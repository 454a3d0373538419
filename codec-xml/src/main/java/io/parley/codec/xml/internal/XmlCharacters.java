package io.parley.codec.xml.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Which characters XML 1.0 can say, by reference or not: tab, line feed, carriage return and U+0020 to U+10FFFF,
 * without surrogates, U+FFFE and U+FFFF. */
final class XmlCharacters {
    /** What {@link #utf8Length} says of a string with a character that XML can't say. */
    static final int NOT_XML = -1;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long EACH_20 = 0x2020_2020_2020_2020L;
    private static final long EACH_80 = 0x8080_8080_8080_8080L;

    private XmlCharacters() {}

    /** How many bytes a string takes in UTF-8, or {@link #NOT_XML}. */
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

    /** The first character that XML can't say, for messages to people: {@code U+0000} and the like. */
    static String firstOffender(String string) {
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

    /** Whether bytes are valid UTF-8 of nothing but characters that XML can say. */
    static boolean areUtf8(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int i = offset;
        while (i < end) {
            byte b = bytes[i];
            if (b >= ' ') { // ASCII: bytes above it are negative
                i++;
                while (i <= end - Long.BYTES && arePlain((long) LONGS.get(bytes, i))) {
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

    /** Whether eight bytes are all ASCII from the blank on. */
    private static boolean arePlain(long eight) {
        return ((eight | (eight - EACH_20)) & EACH_80) == 0;
    }

    /** Whether bytes are ASCII of nothing but characters that XML can say. */
    static boolean areAscii(byte[] bytes, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            byte b = bytes[i];
            if (b < ' ' && (b < 0 || !isWhitespace((char) b))) {
                return false;
            }
        }
        return true;
    }

    /** The length of the sequence of two to four bytes that begins at {@code i}, 0 when it is none or no XML. */
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
        boolean ok = switch (size) {
            case 2 -> true; // the smallest lead excludes overlong forms
            case 3 -> codePoint >= 0x800 && codePoint < 0xFFFE && (codePoint < 0xD800 || codePoint > 0xDFFF);
            default -> codePoint >= 0x10000 && codePoint <= 0x10FFFF;
        };
        return ok ? size : 0;
    }

    private static boolean isWhitespace(char c) {
        return c == '\t' || c == '\n' || c == '\r';
    }
}

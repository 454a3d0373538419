package io.parley.codec.xml.payload;

import io.parley.message.Payload;
import java.util.Optional;

/**
 * Where in a text the root element begins and ends. What stands before and behind it keeps its bytes; a comment behind it
 * counts as a part of it.
 */
record XmlTextParts(int rootStart, int rootEnd) {

    /** Empty when there is no root to be found, or a document type declaration before it. */
    static Optional<XmlTextParts> of(byte[] text) {
        int start = startsWith(text, 0, "\u00EF\u00BB\u00BF") ? 3 : 0;
        while (start < text.length) {
            if (isSpace(text[start])) {
                start++;
            } else if (startsWith(text, start, "<?")) {
                start = behind(text, start + 2, "?>");
            } else if (startsWith(text, start, "<!--")) {
                start = behind(text, start + 4, "-->");
            } else {
                break;
            }
        }
        int end = text.length;
        while (end > start && isSpace(text[end - 1])) {
            end--;
        }
        return end - start < 4 || startsWith(text, start, "<!")
                ? Optional.empty()
                : Optional.of(new XmlTextParts(start, end));
    }

    Payload prologue(byte[] text) {
        return Payload.of(text, 0, rootStart);
    }

    Payload root(byte[] text) {
        return Payload.of(text, rootStart, rootEnd - rootStart);
    }

    Payload epilogue(byte[] text) {
        return Payload.of(text, rootEnd, text.length - rootEnd);
    }

    private static int behind(byte[] text, int from, String end) {
        for (int i = from; i <= text.length - end.length(); i++) {
            if (startsWith(text, i, end)) {
                return i + end.length();
            }
        }
        return text.length;
    }

    /** The string's chars stand for bytes. */
    private static boolean startsWith(byte[] text, int at, String start) {
        if (start.length() > text.length - at) {
            return false;
        }
        for (int i = 0; i < start.length(); i++) {
            if (text[at + i] != (byte) start.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }
}

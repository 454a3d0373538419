package io.parley.codec.xml.payload;

import io.parley.message.Payload;
import java.util.Optional;

/**
 * The range of the root element in a text. The prologue before it and the epilogue after it are kept as bytes. A
 * comment after the root element is part of the range.
 *
 * @param rootStart the first index of the root element
 * @param rootEnd the index after the root element
 */
record XmlTextParts(int rootStart, int rootEnd) {

    /** Returns the parts of a text; empty if there is no root element, or a document type declaration before it. */
    static Optional<XmlTextParts> of(byte[] text) {
        int start = startsWith(text, 0, "\u00EF\u00BB\u00BF") ? 3 : 0;
        while (start < text.length) {
            if (isSpace(text[start])) {
                start++;
            } else if (startsWith(text, start, "<?")) {
                start = indexAfter(text, start + 2, "?>");
            } else if (startsWith(text, start, "<!--")) {
                start = indexAfter(text, start + 4, "-->");
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

    private static int indexAfter(byte[] text, int from, String end) {
        for (int i = from; i <= text.length - end.length(); i++) {
            if (startsWith(text, i, end)) {
                return i + end.length();
            }
        }
        return text.length;
    }

    /** Compares bytes with the chars of a string; each char represents one byte. */
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

package io.parley.codec.xml;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * What can't stand for itself in a place of the document, and how it is written there. Runs of other characters are
 * copied as they are.
 */
final class XmlEscaper {
    /**
     * Inside an element. {@code >} is there because of {@code ]]>}, and the carriage return because parsers make line
     * feeds of it.
     */
    static final XmlEscaper TEXT = new XmlEscaper("<>&\r");
    /** Inside an attribute in double quotes, where parsers make blanks of other white space. */
    static final XmlEscaper ATTRIBUTE = new XmlEscaper("<>&\r\n\t\"");

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long EACH_1 = 0x0101_0101_0101_0101L;
    private static final long EACH_80 = 0x8080_8080_8080_8080L;
    private static final int PIECE_CHARS = 8 * 1024;

    /** By character; {@code null} where the character stands for itself. */
    private final byte[][] escapes = new byte[128][];

    private final long[] escapedEightTimes;

    private XmlEscaper(String escaped) {
        escapedEightTimes = escaped.chars().mapToLong(c -> c * EACH_1).toArray();
        for (int i = 0; i < escaped.length(); i++) {
            char c = escaped.charAt(i);
            String escape = switch (c) {
                case '<' -> "&lt;";
                case '>' -> "&gt;";
                case '&' -> "&amp;";
                case '"' -> "&quot;";
                default -> "&#" + (int) c + ';';
            };
            escapes[c] = escape.getBytes(StandardCharsets.US_ASCII);
        }
    }

    /** How many bytes a string takes; surrogates in it are paired. */
    long measure(String string) {
        long bytes = 0;
        for (int from = 0; from < string.length(); ) {
            int to = endOfPiece(string, from);
            byte[] utf8 = utf8(string, from, to);
            bytes += measure(utf8, 0, utf8.length);
            from = to;
        }
        return bytes;
    }

    void write(String string, ByteBuffer out) {
        for (int from = 0; from < string.length(); ) {
            int to = endOfPiece(string, from);
            byte[] utf8 = utf8(string, from, to);
            write(utf8, 0, utf8.length, out);
            from = to;
        }
    }

    /** Long texts are taken piece by piece, so that there are not two of them in memory. */
    private static int endOfPiece(String string, int from) {
        if (string.length() - from <= PIECE_CHARS) {
            return string.length();
        }
        int end = from + PIECE_CHARS;
        return Character.isHighSurrogate(string.charAt(end - 1)) ? end - 1 : end;
    }

    private static byte[] utf8(String string, int from, int to) {
        return string.substring(from, to).getBytes(StandardCharsets.UTF_8);
    }

    /** How many bytes a range of UTF-8 takes. */
    long measure(byte[] utf8, int offset, int length) {
        long bytes = length;
        int end = offset + length;
        for (int i = nextEscaped(utf8, offset, end); i < end; i = nextEscaped(utf8, i + 1, end)) {
            bytes += escapes[utf8[i]].length - 1;
        }
        return bytes;
    }

    void write(byte[] utf8, int offset, int length, ByteBuffer out) {
        int end = offset + length;
        int from = offset;
        for (int i = nextEscaped(utf8, offset, end); i < end; i = nextEscaped(utf8, from, end)) {
            out.put(utf8, from, i - from);
            out.put(escapes[utf8[i]]);
            from = i + 1;
        }
        out.put(utf8, from, end - from);
    }

    /** Looks at eight bytes at a time where it can: most texts have little to escape. */
    private int nextEscaped(byte[] utf8, int from, int end) {
        int i = from;
        while (i <= end - Long.BYTES && !anyEscaped((long) LONGS.get(utf8, i))) {
            i += Long.BYTES;
        }
        while (i < end && (utf8[i] < 0 || escapes[utf8[i]] == null)) {
            i++;
        }
        return i;
    }

    private boolean anyEscaped(long eight) {
        long found = 0;
        for (long repeated : escapedEightTimes) {
            long difference = eight ^ repeated; // a byte of it is zero where the character is
            found |= (difference - EACH_1) & ~difference;
        }
        return (found & EACH_80) != 0;
    }
}

package io.parley.codec.xml;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Measures and writes text in which some characters are replaced by references. Runs of other characters are copied
 * unchanged.
 */
final class XmlEscaper {
    /**
     * For the content of an element. Escapes {@code >} because of {@code ]]>}, and the carriage return because parsers
     * replace it by a line feed.
     */
    static final XmlEscaper TEXT = new XmlEscaper("<>&\r");
    /** For an attribute value in double quotes, in which parsers replace other white space by spaces. */
    static final XmlEscaper ATTRIBUTE = new XmlEscaper("<>&\r\n\t\"");

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long EACH_1 = 0x0101_0101_0101_0101L;
    private static final long EACH_80 = 0x8080_8080_8080_8080L;
    private static final int BLOCK_CHARS = 8 * 1024;

    /** The escape of each character; {@code null} if the character is written unchanged. */
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

    /** Returns the length of an escaped string in bytes. The surrogates in {@code string} must be paired. */
    long measure(String string) {
        long bytes = 0;
        for (int from = 0; from < string.length(); ) {
            int to = endOfBlock(string, from);
            byte[] utf8 = utf8(string, from, to);
            bytes += measure(utf8, 0, utf8.length);
            from = to;
        }
        return bytes;
    }

    void write(String string, ByteBuffer out) {
        for (int from = 0; from < string.length(); ) {
            int to = endOfBlock(string, from);
            byte[] utf8 = utf8(string, from, to);
            write(utf8, 0, utf8.length, out);
            from = to;
        }
    }

    /** Returns the end of the next block. Long texts are processed in blocks, to avoid a second copy in memory. */
    private static int endOfBlock(String string, int from) {
        if (string.length() - from <= BLOCK_CHARS) {
            return string.length();
        }
        int end = from + BLOCK_CHARS;
        return Character.isHighSurrogate(string.charAt(end - 1)) ? end - 1 : end;
    }

    private static byte[] utf8(String string, int from, int to) {
        return string.substring(from, to).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the length of an escaped range of UTF-8 in bytes. */
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

    /**
     * Returns the next index to escape, or {@code end}. Tests eight bytes at a time, because most texts need few
     * escapes.
     */
    private int nextEscaped(byte[] utf8, int from, int end) {
        int i = from;
        while (i <= end - Long.BYTES && !containsEscaped((long) LONGS.get(utf8, i))) {
            i += Long.BYTES;
        }
        while (i < end && (utf8[i] < 0 || escapes[utf8[i]] == null)) {
            i++;
        }
        return i;
    }

    private boolean containsEscaped(long eight) {
        long found = 0;
        for (long repeated : escapedEightTimes) {
            long difference = eight ^ repeated; // a zero byte is an occurrence of the character
            found |= (difference - EACH_1) & ~difference;
        }
        return (found & EACH_80) != 0;
    }
}

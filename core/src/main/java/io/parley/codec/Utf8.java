package io.parley.codec;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** UTF-8 that refuses what the JDK would replace by question marks, so that no two names become one. */
final class Utf8 {
    /** What {@link #length} says of a string with an unpaired surrogate. */
    static final int NOT_ENCODABLE = -1;

    private Utf8() {}

    /** How many bytes a string takes, or {@link #NOT_ENCODABLE}. */
    static int length(String string) {
        int chars = string.length();
        int bytes = chars;
        for (int i = 0; i < chars; i++) {
            char c = string.charAt(i);
            if (c < 0x80) {
                continue;
            }
            if (c < 0x800) {
                bytes += 1;
            } else if (!Character.isSurrogate(c)) {
                bytes += 2;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < chars
                    && Character.isLowSurrogate(string.charAt(i + 1))) {
                bytes += 2; // four bytes for two chars
                i++;
            } else {
                return NOT_ENCODABLE;
            }
        }
        return bytes;
    }

    /** The string in a range of an array, or {@code null} when it is not UTF-8. */
    static @Nullable String decode(byte[] bytes, int offset, int length) {
        String string = new String(bytes, offset, length, StandardCharsets.UTF_8);
        // The JDK's decoder is the fastest there is, but replaces faults by U+FFFD: only then is a second look needed.
        if (string.indexOf('\uFFFD') >= 0) {
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes, offset, length))
                        .toString();
            } catch (CharacterCodingException e) {
                return null;
            }
        }
        return string;
    }
}

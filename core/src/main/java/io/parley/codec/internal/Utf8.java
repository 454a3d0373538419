package io.parley.codec.internal;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Strict UTF-8. It rejects input that the JDK replaces by {@code '?'}, so different names never become equal. */
final class Utf8 {
    /** The result of {@link #length} for a string with an unpaired surrogate. */
    static final int NOT_ENCODABLE = -1;

    private Utf8() {}

    /** Returns the encoded length of a string in bytes, or {@link #NOT_ENCODABLE}. */
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

    /** Decodes a range of an array; returns {@code null} if the bytes are not valid UTF-8. */
    static @Nullable String decode(byte[] bytes, int offset, int length) {
        String string = new String(bytes, offset, length, StandardCharsets.UTF_8);
        // The decoder of the JDK is the fastest one but replaces faults by U+FFFD. Only then a strict second pass is
        // needed.
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

package io.parley.codec.xml.fastinfoset;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Decodes strings and rejects malformed bytes, which the JDK would replace. */
final class StrictDecoder {
    private StrictDecoder() {}

    /** Returns the string in a range of an array, or {@code null} if it is not valid UTF-8. */
    static @Nullable String utf8(byte[] bytes, int offset, int length) {
        String string = new String(bytes, offset, length, StandardCharsets.UTF_8);
        // Only a result with a replacement character needs the slower decoder.
        return string.indexOf('\uFFFD') < 0 ? string : strict(StandardCharsets.UTF_8, bytes, offset, length);
    }

    /** Returns the string in a range of an array, or {@code null} if it is not valid big-endian UTF-16. */
    static @Nullable String utf16(byte[] bytes, int offset, int length) {
        return strict(StandardCharsets.UTF_16BE, bytes, offset, length);
    }

    private static @Nullable String strict(Charset charset, byte[] bytes, int offset, int length) {
        try {
            return charset.newDecoder()
                    .decode(ByteBuffer.wrap(bytes, offset, length))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}

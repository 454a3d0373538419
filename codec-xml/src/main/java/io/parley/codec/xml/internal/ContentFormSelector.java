package io.parley.codec.xml.internal;

import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Selects the form in which the bytes of an element are encoded. They are encoded as characters if the major type is
 * {@code text}, the bytes are text in the charset of the type that the reader restores to the same bytes, and each
 * character is allowed in XML 1.0. Otherwise they are encoded as octets.
 */
final class ContentFormSelector {
    private static final String TEXT = "text/";
    private static final int CHUNK_BYTES = 8 * 1024;

    private ContentFormSelector() {}

    static Content of(MessageElement element) {
        Payload payload = element.payload();
        // A file is read only once, during encoding, and therefore cannot be inspected here.
        if (!isText(element.type()) || !payload.hasArray()) {
            return new Content.Octets(payload);
        }
        Charset charset = element.charset().orElse(null);
        Content text = charset == null ? null : asText(payload, charset);
        return text == null ? new Content.Octets(payload) : text;
    }

    private static boolean isText(String type) {
        return type.regionMatches(true, 0, TEXT, 0, TEXT.length());
    }

    private static @Nullable Content asText(Payload payload, Charset charset) {
        byte[] array = payload.array();
        int offset = payload.arrayOffset();
        int length = (int) payload.size();
        if (charset.equals(StandardCharsets.UTF_8)) {
            return XmlCharacters.isUtf8(array, offset, length) ? new Content.Utf8(payload) : null;
        }
        boolean extendsAscii = charset.equals(StandardCharsets.ISO_8859_1) || charset.equals(StandardCharsets.US_ASCII);
        if (extendsAscii && XmlCharacters.isAscii(array, offset, length)) {
            return new Content.Utf8(payload);
        }
        if (!charset.canEncode()) {
            return null;
        }
        // Malformed bytes are replaced here, and the comparison below detects the replacement.
        String text = new String(array, offset, length, charset);
        return XmlCharacters.utf8Length(text) != XmlCharacters.NOT_XML
                        && encodesTo(text, charset, array, offset, offset + length)
                ? new Content.Text(text)
                : null;
    }

    /**
     * Returns whether a text encodes to given bytes. Compares in chunks, so that a large text needs no second array.
     */
    private static boolean encodesTo(String text, Charset charset, byte[] array, int start, int end) {
        CharsetEncoder encoder = charset.newEncoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        CharBuffer chars = CharBuffer.wrap(text);
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
        int at = start;
        boolean flushing = false;
        while (true) {
            CoderResult result = flushing ? encoder.flush(chunk) : encoder.encode(chars, chunk, true);
            if (result.isError()) {
                return false;
            }
            int length = chunk.position();
            if (length > end - at || !Arrays.equals(chunk.array(), 0, length, array, at, at + length)) {
                return false;
            }
            at += length;
            chunk.clear();
            if (result.isUnderflow()) {
                if (flushing) {
                    return at == end;
                }
                flushing = true;
            }
        }
    }
}

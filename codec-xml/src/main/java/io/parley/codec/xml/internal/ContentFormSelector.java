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
 * Decides whether an element's bytes travel as characters: when its major type is {@code text}, the bytes are text of
 * its charset from which the reader makes the same bytes again, and XML can say every character.
 */
final class ContentFormSelector {
    private static final String TEXT = "text/";
    private static final int CHUNK_BYTES = 8 * 1024;

    private ContentFormSelector() {}

    static Content of(MessageElement element) {
        Payload payload = element.payload();
        // A file is read once, while it is written, and can't be looked into before.
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
            return XmlCharacters.areUtf8(array, offset, length) ? new Content.Utf8(payload) : null;
        }
        boolean extendsAscii = charset.equals(StandardCharsets.ISO_8859_1) || charset.equals(StandardCharsets.US_ASCII);
        if (extendsAscii && XmlCharacters.areAscii(array, offset, length)) {
            return new Content.Utf8(payload);
        }
        if (!charset.canEncode()) {
            return null;
        }
        // What this replaces does not come back as it was, so the comparison finds it.
        String text = new String(array, offset, length, charset);
        return XmlCharacters.utf8Length(text) != XmlCharacters.NOT_XML
                        && encodesTo(text, charset, array, offset, offset + length)
                ? new Content.Text(text)
                : null;
    }

    /** Whether that text is those bytes; compared piece by piece, so that large texts need no second array. */
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

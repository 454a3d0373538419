package io.parley.codec.xml.fastinfoset;

import io.parley.codec.xml.internal.ContentSink;
import io.parley.codec.xml.internal.ElementHead;
import io.parley.codec.xml.internal.FormDecoder;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Makes an element's bytes of chunks that are not just what the element holds: several of them, characters of another
 * charset than UTF-8, base64 that was written as text, or octets where text is expected.
 */
final class ContentCollector {
    private static final int PIECE_CHARS = 4096;
    /** Whole groups of base64. */
    private static final int PIECE_BYTES = 3 * 1024;

    private final ContentSink sink;

    ContentCollector(ElementHead head, FormDecoder form) {
        sink = head.octets() ? form.base64() : form.characters(head);
    }

    void add(Chunk chunk) {
        Payload payload = chunk.payload();
        int length = (int) payload.size();
        if (chunk.octets()) {
            addOctets(payload.array(), payload.arrayOffset(), length);
        } else {
            addCharacters(ByteBuffer.wrap(payload.array(), payload.arrayOffset(), length));
        }
    }

    private void addOctets(byte[] bytes, int offset, int length) {
        for (int done = 0; done < length; done += PIECE_BYTES) {
            int piece = Math.min(PIECE_BYTES, length - done);
            ByteBuffer base64 = Base64.getEncoder().encode(ByteBuffer.wrap(bytes, offset + done, piece));
            char[] chars = StandardCharsets.ISO_8859_1.decode(base64).toString().toCharArray();
            sink.append(chars, 0, chars.length);
        }
    }

    private void addCharacters(ByteBuffer utf8) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        CharBuffer chars = CharBuffer.allocate(Math.min(PIECE_CHARS, utf8.remaining() + 1));
        CoderResult result;
        do {
            // Chunks of characters were checked, so the only result but "done" is "full".
            result = decoder.decode(utf8, chars, true);
            sink.append(chars.array(), 0, chars.position());
            chars.clear();
        } while (result.isOverflow());
    }

    Payload finish() {
        return sink.finish();
    }
}

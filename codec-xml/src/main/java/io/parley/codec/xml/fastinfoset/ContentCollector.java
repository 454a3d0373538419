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
 * Converts chunks to the bytes of an element if they are not equal to the payload of one chunk: several chunks,
 * characters of a charset other than UTF-8, base64 that was written as text, or octets in place of text.
 */
final class ContentCollector {
    private static final int BLOCK_CHARS = 4096;
    /** A multiple of three bytes, which is a complete group of base64. */
    private static final int BLOCK_BYTES = 3 * 1024;

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
        for (int done = 0; done < length; done += BLOCK_BYTES) {
            int blockLength = Math.min(BLOCK_BYTES, length - done);
            ByteBuffer base64 = Base64.getEncoder().encode(ByteBuffer.wrap(bytes, offset + done, blockLength));
            char[] chars = StandardCharsets.ISO_8859_1.decode(base64).toString().toCharArray();
            sink.append(chars, 0, chars.length);
        }
    }

    private void addCharacters(ByteBuffer utf8) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        CharBuffer chars = CharBuffer.allocate(Math.min(BLOCK_CHARS, utf8.remaining() + 1));
        CoderResult result;
        do {
            // The characters are valid, so the result is underflow at the end or overflow.
            result = decoder.decode(utf8, chars, true);
            sink.append(chars.array(), 0, chars.position());
            chars.clear();
        } while (result.isOverflow());
    }

    Payload finish() {
        return sink.finish();
    }
}

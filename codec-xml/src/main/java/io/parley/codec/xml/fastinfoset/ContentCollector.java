package io.parley.codec.xml.fastinfoset;

import io.parley.codec.xml.internal.ContentSink;
import io.parley.codec.xml.internal.ElementHead;
import io.parley.codec.xml.internal.FormDecoder;
import io.parley.message.Payload;
import java.util.Arrays;
import java.util.Base64;

/**
 * Converts chunks to the bytes of an element if they are not equal to the payload of one chunk: several chunks,
 * characters of a charset other than UTF-8, base64 that was written as text, or octets in place of text.
 */
final class ContentCollector {
    /** Room for a surrogate pair, and for the base64 of a small chunk. */
    private static final int MIN_BLOCK_CHARS = 16;

    /** The base64 of a block of bytes is one block. */
    private static final int MAX_BLOCK_CHARS = 4096 + 2;
    /** A multiple of three bytes, which is a complete group of base64. */
    private static final int BLOCK_BYTES = 3 * 1024;

    private final ContentSink sink;
    /** Reused for all chunks, because a chunk may be as small as one octet. */
    private char[] block = new char[MIN_BLOCK_CHARS];

    ContentCollector(ElementHead head, FormDecoder form) {
        sink = head.octets() ? form.base64() : form.characters(head);
    }

    void add(Chunk chunk) {
        Payload payload = chunk.payload();
        int length = (int) payload.size();
        if (chunk.octets()) {
            addOctets(payload.array(), payload.arrayOffset(), length);
        } else {
            addCharacters(payload.array(), payload.arrayOffset(), length);
        }
    }

    private void addOctets(byte[] bytes, int offset, int length) {
        for (int done = 0; done < length; done += BLOCK_BYTES) {
            int from = offset + done;
            byte[] octets = Arrays.copyOfRange(bytes, from, from + Math.min(BLOCK_BYTES, length - done));
            byte[] base64 = Base64.getEncoder().encode(octets);
            addCharacters(base64, 0, base64.length);
        }
    }

    /** Adds UTF-8 that is valid, as that of chunks is. */
    private void addCharacters(byte[] utf8, int offset, int length) {
        ensureRoom(length);
        int end = offset + length;
        int count = 0;
        for (int at = offset; at < end; ) {
            int b = utf8[at];
            if (b >= 0) {
                block[count++] = (char) b;
                at++;
            } else if ((b & 0xE0) == 0xC0) {
                block[count++] = (char) ((b & 0x1F) << 6 | (utf8[at + 1] & 0x3F));
                at += 2;
            } else if ((b & 0xF0) == 0xE0) {
                block[count++] = (char) ((b & 0x0F) << 12 | (utf8[at + 1] & 0x3F) << 6 | (utf8[at + 2] & 0x3F));
                at += 3;
            } else {
                int codePoint = (b & 0x07) << 18
                        | (utf8[at + 1] & 0x3F) << 12
                        | (utf8[at + 2] & 0x3F) << 6
                        | (utf8[at + 3] & 0x3F);
                count += Character.toChars(codePoint, block, count);
                at += 4;
            }
            if (count > block.length - 2) {
                sink.append(block, 0, count);
                count = 0;
            }
        }
        sink.append(block, 0, count);
    }

    private void ensureRoom(int length) {
        if (length > block.length - 2 && block.length < MAX_BLOCK_CHARS) {
            block = new char[Math.min(MAX_BLOCK_CHARS, Math.max(length + 2, 2 * block.length))];
        }
    }

    Payload finish() {
        return sink.finish();
    }
}

package io.parley.codec.xml.fastinfoset;

import io.parley.codec.xml.internal.FormDecoder;
import io.parley.error.ParleyException;
import io.parley.message.Payload;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads chunks of characters (C.7 and C.15). The payload of a literal chunk shares the received array; the payload of a
 * table entry does not.
 */
final class ChunkReader {
    private static final int INDEX_FLAG = 0x20;
    /**
     * Bounds the characters that a message may repeat by indices: this multiple of its length, at most the message
     * limit, plus {@link #FREE_BYTES}.
     */
    private static final int MAX_REPETITION = 64;

    private static final int FREE_BYTES = 64 * 1024;

    private final FastInfosetInput in;
    private final DecoderVocabulary vocabulary;
    private final FormDecoder form;
    private final long maxMessageBytes;
    private long maxRepeatedBytes;
    private long repeatedBytes;

    ChunkReader(FastInfosetInput in, DecoderVocabulary vocabulary, FormDecoder form, long maxMessageBytes) {
        this.in = in;
        this.vocabulary = vocabulary;
        this.form = form;
        this.maxMessageBytes = maxMessageBytes;
    }

    /** Resets the count of repeated bytes for a message of the given length. */
    void beginMessage(int messageBytes) {
        repeatedBytes = 0;
        maxRepeatedBytes = FREE_BYTES + Math.min(maxMessageBytes, (long) MAX_REPETITION * messageBytes);
    }

    static boolean isChunk(int b) {
        return (b & 0xC0) == FastInfosetFormat.CHUNK_LITERAL;
    }

    /** Reads the chunk whose first octet is {@code b}. */
    Chunk read(int b) {
        if ((b & INDEX_FLAG) != 0) {
            return countRepetition(vocabulary.chunk(in.indexOnBit4(b, "characters"), in));
        }
        boolean add = (b & FastInfosetFormat.CHUNK_ADD) != 0;
        switch (b & 0x0C) {
            case 0 -> {
                return characters(in.lengthOnBit7(b, "characters"), false, add);
            }
            case 4 -> {
                return characters(in.lengthOnBit7(b, "characters"), true, add);
            }
            case 8 -> throw in.unsupported("restricted alphabet in characters");
            default -> {
                int second = in.u8("encoding algorithm");
                int algorithm = (b & 3) << 6 | second >> 2;
                int length = in.lengthOnBit7(second, "characters");
                return ofAlgorithm(algorithm, length, add);
            }
        }
    }

    /**
     * Counts a chunk that an index repeats. One octet may represent a whole chunk, so the expansion of a message must
     * be bounded in memory and time.
     */
    private Chunk countRepetition(Chunk chunk) {
        repeatedBytes += chunk.payload().size();
        if (repeatedBytes > maxRepeatedBytes) {
            throw in.overLimit(
                    "characters repeated by indices",
                    repeatedBytes,
                    "maximum for this message length",
                    maxRepeatedBytes);
        }
        return chunk;
    }

    /** Reads a chunk of the initial vocabulary, which has the layout of an attribute value. */
    void readTableEntry() {
        int b = in.u8("character chunk");
        switch (b & 0x30) {
            case 0 -> characters(in.lengthOnBit5(b, "character chunk"), false, true);
            case 0x10 -> characters(in.lengthOnBit5(b, "character chunk"), true, true);
            case 0x20 -> throw in.unsupported("restricted alphabet in character chunk");
            default -> {
                int second = in.u8("encoding algorithm");
                int algorithm = (b & 0x0F) << 4 | second >> 4;
                ofAlgorithm(algorithm, in.lengthOnBit5(second, "character chunk"), true);
            }
        }
    }

    private Chunk ofAlgorithm(int algorithm, int length, boolean add) {
        return switch (algorithm) {
            case FastInfosetFormat.BASE64 -> chunk(in.advance(length), length, true, add);
            case FastInfosetFormat.CDATA -> characters(length, false, add);
            default -> throw in.unsupported("encoding algorithm " + (algorithm + 1));
        };
    }

    private Chunk characters(int length, boolean utf16, boolean add) {
        int offset = in.advance(length);
        if (!utf16) {
            form.checkCharacters(in.bytes(), offset, length);
            return chunk(offset, length, false, add);
        }
        String text = StrictDecoder.utf16(in.bytes(), offset, length);
        if (text == null) {
            throw malformedUtf16();
        }
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        form.checkCharacters(utf8, 0, utf8.length);
        Chunk chunk = new Chunk(Payload.of(utf8), false);
        if (add) {
            vocabulary.addChunk(chunk, in);
        }
        return chunk;
    }

    private ParleyException malformedUtf16() {
        return in.malformed("characters: not UTF-16");
    }

    /** Creates a chunk. A table entry is copied, because it must not retain the array of the message. */
    private Chunk chunk(int offset, int length, boolean octets, boolean add) {
        if (!add) {
            return new Chunk(Payload.of(in.bytes(), offset, length), octets);
        }
        vocabulary.checkChunk(length, in);
        Chunk chunk = new Chunk(Payload.of(Arrays.copyOfRange(in.bytes(), offset, offset + length)), octets);
        vocabulary.addChunk(chunk, in);
        return chunk;
    }
}

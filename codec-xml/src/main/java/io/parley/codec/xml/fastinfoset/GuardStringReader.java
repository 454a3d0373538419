package io.parley.codec.xml.fastinfoset;

/**
 * Validates the strings of a document for {@link FastInfosetGuard}. Each method returns an upper bound of the number of
 * characters.
 */
final class GuardStringReader {
    private static final int INDEX_FLAG = 0x80;
    /**
     * Other algorithms are rejected, because no reader has any registered and implementations encode large identifiers
     * differently.
     */
    private static final int LAST_BUILT_IN_ALGORITHM = FastInfosetFormat.CDATA;
    /** The maximum number of characters per octet, by algorithm: hexadecimal, base64, short, ..., cdata. */
    private static final int[] CHARACTERS_PER_OCTET = {2, 2, 4, 4, 4, 48, 8, 8, 4, 1};

    private static final int LAST_BUILT_IN_ALPHABET = 1;
    private static final int CHARACTERS_PER_RESTRICTED_OCTET = 2;

    private final FastInfosetInput in;
    private final FastInfosetLimits limits;
    private final long maxExpandedCharacters;

    GuardStringReader(FastInfosetInput in, FastInfosetLimits limits, long maxExpandedCharacters) {
        this.in = in;
        this.limits = limits;
        this.maxExpandedCharacters = maxExpandedCharacters;
    }

    /** C.13: checks an identifying string, literal or by index. A literal is added to the table. */
    int identifyingString(GuardTable table, String field) {
        int b = in.u8(field);
        if (b >= INDEX_FLAG) {
            return table.length(in.indexOnBit2(b, field));
        }
        int length = name(b, field);
        table.add(length);
        return length;
    }

    /** C.22: checks a literal name, including the limit for names. */
    int name(int b, String field) {
        int length = in.lengthOnBit2(b, field);
        if (length > limits.maxNameBytes()) {
            throw in.overLimit(field, length, "maxNameBytes", limits.maxNameBytes());
        }
        return utf8(length, field);
    }

    /** C.25: checks an index where no literal is allowed. */
    int index(GuardTable table, String field) {
        return table.length(in.indexOnBit2(in.u8(field), field));
    }

    /** C.14: checks a value, literal or by index. A literal is added to the table if its flag is set. */
    int value(GuardTable table, String field) {
        int b = in.u8(field);
        if (b == FastInfosetFormat.VALUE_EMPTY) {
            return 0;
        }
        if (b >= INDEX_FLAG) {
            return table.length(in.indexOnBit2(b, field));
        }
        boolean add = (b & FastInfosetFormat.VALUE_ADD) != 0;
        if (add && (b & 0x30) == 0x30) {
            // A parser of the library fails for such an entry.
            throw in.unsupported("encoding algorithm in a table entry");
        }
        int length = literalValue(b, field);
        if (add) {
            table.add(length);
        }
        return length;
    }

    /** C.19: checks a literal value that starts on the third bit. */
    int literalValue(int b, String field) {
        switch (b & 0x30) {
            case 0 -> {
                return utf8(in.lengthOnBit5(b, field), field);
            }
            case 0x10 -> {
                return utf16(in.lengthOnBit5(b, field), field);
            }
            default -> {
                int second = in.u8(field);
                int identifier = (b & 0x0F) << 4 | second >> 4;
                int length = in.lengthOnBit5(second, field);
                return (b & 0x10) == 0 ? restricted(identifier, length, field) : algorithm(identifier, length, field);
            }
        }
    }

    /** C.15: checks a chunk of characters, literal or by index. */
    int chunk(int b, GuardTable table) {
        String field = "characters";
        if ((b & FastInfosetFormat.CHUNK_INDEX) == FastInfosetFormat.CHUNK_INDEX) {
            return table.length(in.indexOnBit4(b, field));
        }
        int length = literalChunk(b, field);
        if ((b & FastInfosetFormat.CHUNK_ADD) != 0) {
            table.add(length);
        }
        return length;
    }

    private int literalChunk(int b, String field) {
        switch (b & 0x0C) {
            case 0 -> {
                return utf8(in.lengthOnBit7(b, field), field);
            }
            case 4 -> {
                return utf16(in.lengthOnBit7(b, field), field);
            }
            default -> {
                int second = in.u8(field);
                int identifier = (b & 3) << 6 | second >> 2;
                int length = in.lengthOnBit7(second, field);
                return (b & 4) == 0 ? restricted(identifier, length, field) : algorithm(identifier, length, field);
            }
        }
    }

    private int utf8(int length, String field) {
        int offset = in.advance(length);
        if (StrictDecoder.utf8(in.bytes(), offset, length) == null) {
            throw in.malformed(field + ": not UTF-8");
        }
        return length;
    }

    private int utf16(int length, String field) {
        int offset = in.advance(length);
        if (StrictDecoder.utf16(in.bytes(), offset, length) == null) {
            throw in.malformed(field + ": not UTF-16");
        }
        return length / 2;
    }

    /**
     * Checks characters of a built-in alphabet. Both alphabets, numeric and date and time, have 15 characters of four
     * bits; the value 15 may only pad the last octet.
     */
    private int restricted(int identifier, int length, String field) {
        if (identifier > LAST_BUILT_IN_ALPHABET) {
            throw in.malformed(
                    field + ": restricted alphabet " + (identifier + 1) + " (expected: a built-in one, 1 or 2)");
        }
        byte[] bytes = in.bytes();
        int offset = in.advance(length);
        for (int i = offset; i < offset + length; i++) {
            int b = bytes[i] & 0xFF;
            if (b >= 0xF0 || ((b & 0x0F) == 0x0F && i < offset + length - 1)) {
                throw in.malformed(field + ": character 15 of a restricted alphabet (expected: 0 to 14)");
            }
        }
        return bounded(length, CHARACTERS_PER_RESTRICTED_OCTET, field);
    }

    private int algorithm(int identifier, int length, String field) {
        if (identifier > LAST_BUILT_IN_ALGORITHM) {
            throw in.malformed(field + ": encoding algorithm " + (identifier + 1) + " (expected: a built-in one)");
        }
        if (identifier == FastInfosetFormat.CDATA) {
            return utf8(length, field);
        }
        in.advance(length);
        return bounded(length, CHARACTERS_PER_OCTET[identifier], field);
    }

    private int bounded(int length, int factor, String field) {
        long characters = (long) length * factor;
        if (characters > maxExpandedCharacters || characters > Integer.MAX_VALUE) {
            throw in.overLimit(field, characters, "maxCharacters", maxExpandedCharacters);
        }
        return (int) characters;
    }
}

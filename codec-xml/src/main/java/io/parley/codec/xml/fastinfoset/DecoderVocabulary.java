package io.parley.codec.xml.fastinfoset;

import io.parley.codec.xml.fastinfoset.FastInfosetFormat.Name;
import io.parley.error.ParleyException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tables that a reader of messages fills from the documents, within the bounds of {@link FastInfosetFormat}. Of a
 * name it stores only which name of the format it is, and of strings that the format does not use only their number.
 */
final class DecoderVocabulary {
    private static final int FIRST_CAPACITY = 16;

    /**
     * The maximum size of the tables in bytes: for each value an object, its text and the head of an element with two
     * more strings, at most two bytes per byte of UTF-8; for each chunk an object, a payload and an array; and the
     * references.
     */
    static final int MAX_STATE_BYTES = FastInfosetFormat.MAX_VALUES * 320
            + 4 * FastInfosetFormat.MAX_VALUES_BYTES
            + FastInfosetFormat.MAX_CHUNKS * 96
            + FastInfosetFormat.MAX_CHUNKS_BYTES
            + 24 * ElementHeadCache.SLOTS
            + 4096;
    /** X.891, 7.2.14 and 7.2.16: the tables initially contain the prefix "xml" and its namespace. */
    private static final int BUILT_IN = 1;

    private final NameTable localNames = new NameTable("local names");
    private final NameTable elementNames = new NameTable("element names");
    private final NameTable attributeNames = new NameTable("attribute names");
    private final CountedTable prefixes = new CountedTable("prefixes", BUILT_IN, FastInfosetFormat.MAX_NAMES);
    private final CountedTable namespaces = new CountedTable("namespace names", BUILT_IN, FastInfosetFormat.MAX_NAMES);
    private final CountedTable otherNames = new CountedTable("other names", 0, FastInfosetFormat.MAX_IGNORED);
    private final CountedTable otherUris = new CountedTable("other URIs", 0, FastInfosetFormat.MAX_IGNORED);
    private final CountedTable otherStrings = new CountedTable("other strings", 0, FastInfosetFormat.MAX_IGNORED);

    /** The number of additions to the tables that elements use. */
    private int changes;

    private final AttributeValue emptyValue = new AttributeValue("");
    private AttributeValue[] values = new AttributeValue[FIRST_CAPACITY];
    private int valueCount;
    private int valueBytes;
    private Chunk[] chunks = new Chunk[FIRST_CAPACITY];
    private int chunkCount;
    private int chunkBytes;

    NameTable localNames() {
        return localNames;
    }

    NameTable elementNames() {
        return elementNames;
    }

    NameTable attributeNames() {
        return attributeNames;
    }

    CountedTable prefixes() {
        return prefixes;
    }

    CountedTable namespaces() {
        return namespaces;
    }

    CountedTable otherNames() {
        return otherNames;
    }

    CountedTable otherUris() {
        return otherUris;
    }

    CountedTable otherStrings() {
        return otherStrings;
    }

    /** Returns a number that changes with each addition to the tables. */
    int changes() {
        return changes;
    }

    /** Returns the empty value, which is in no table. */
    AttributeValue emptyValue() {
        return emptyValue;
    }

    void addValue(AttributeValue value, FastInfosetInput in) {
        int bytes = value.text().getBytes(StandardCharsets.UTF_8).length;
        check("attribute values", valueCount + 1L, FastInfosetFormat.MAX_VALUES, in);
        check("bytes of attribute values", (long) valueBytes + bytes, FastInfosetFormat.MAX_VALUES_BYTES, in);
        if (valueCount == values.length) {
            values = Arrays.copyOf(values, 2 * valueCount);
        }
        changes++;
        value.markEntry();
        values[valueCount++] = value;
        valueBytes += bytes;
    }

    AttributeValue value(int index, FastInfosetInput in) {
        if (index >= valueCount) {
            throw outOfRange("attribute value", index, valueCount, in);
        }
        return values[index];
    }

    /** Checks that the table has room for a chunk of the given length. Must be called before the chunk is copied. */
    void checkChunk(int bytes, FastInfosetInput in) {
        check("character chunks", chunkCount + 1L, FastInfosetFormat.MAX_CHUNKS, in);
        check("bytes of character chunks", (long) chunkBytes + bytes, FastInfosetFormat.MAX_CHUNKS_BYTES, in);
    }

    void addChunk(Chunk chunk, FastInfosetInput in) {
        int bytes = (int) chunk.payload().size();
        checkChunk(bytes, in);
        if (chunkCount == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * chunkCount);
        }
        chunks[chunkCount++] = chunk;
        chunkBytes += bytes;
    }

    Chunk chunk(int index, FastInfosetInput in) {
        if (index >= chunkCount) {
            throw outOfRange("character chunk", index, chunkCount, in);
        }
        return chunks[index];
    }

    private static void check(String table, long value, int max, FastInfosetInput in) {
        if (value > max) {
            throw in.overLimit("table of " + table, value, "maximum of the format", max);
        }
    }

    private static ParleyException outOfRange(String table, int index, int count, FastInfosetInput in) {
        return in.malformed(table + ": index " + index + " (expected: < " + count + ")");
    }

    /** A table of names; {@code null} represents a name that the message format does not use. */
    final class NameTable {
        private final String label;
        private final @Nullable Name[] names = new Name[FastInfosetFormat.MAX_NAMES];
        private int count;

        NameTable(String label) {
            this.label = label;
        }

        void add(@Nullable Name name, FastInfosetInput in) {
            check(label, count + 1L, names.length, in);
            names[count++] = name;
            changes++;
        }

        @Nullable
        Name get(int index, FastInfosetInput in) {
            if (index >= count) {
                throw outOfRange(label, index, count, in);
            }
            return names[index];
        }
    }

    /** A table of which only the number of entries is stored. */
    final class CountedTable {
        private final String label;
        private final int max;
        private int count;

        CountedTable(String label, int builtIn, int max) {
            this.label = label;
            this.max = max;
            this.count = builtIn;
        }

        void add(FastInfosetInput in) {
            check(label, count + 1L, max, in);
            count++;
            changes++;
        }

        void checkIndex(int index, FastInfosetInput in) {
            if (index >= count) {
                throw outOfRange(label, index, count, in);
            }
        }
    }
}

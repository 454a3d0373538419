package io.parley.codec.xml.fastinfoset;

import java.util.Arrays;

/** A table of a document for {@link FastInfosetGuard}. Stores only the lengths of the entries. */
final class GuardTable {
    private static final int FIRST_CAPACITY = 16;

    private final String label;
    private final FastInfosetInput in;
    private final FastInfosetLimits limits;
    private int[] lengths = new int[FIRST_CAPACITY];
    private int count;
    private long characters;

    GuardTable(String label, FastInfosetInput in, FastInfosetLimits limits) {
        this.label = label;
        this.in = in;
        this.limits = limits;
    }

    /** Creates a table with one built-in entry. */
    GuardTable(String label, FastInfosetInput in, FastInfosetLimits limits, int builtInLength) {
        this(label, in, limits);
        lengths[count++] = builtInLength;
    }

    void add(int length) {
        characters += length;
        if (count >= limits.maxTableEntries()) {
            throw in.overLimit("table of " + label, count + 1L, "maxTableEntries", limits.maxTableEntries());
        }
        if (characters > limits.maxTableCharacters()) {
            throw in.overLimit(
                    "characters in table of " + label, characters, "maxTableCharacters", limits.maxTableCharacters());
        }
        if (count == lengths.length) {
            lengths = Arrays.copyOf(lengths, 2 * count);
        }
        lengths[count++] = length;
    }

    /** Returns the length of an entry; fails if there is no such entry. */
    int length(int index) {
        if (index >= count) {
            throw in.malformed(label + ": index " + index + " (expected: < " + count + ")");
        }
        return lengths[index];
    }
}

package io.parley.codec.xml.fastinfoset;

import java.util.Arrays;

/** One table of a document that is looked through: how long each entry is, and nothing else of it. */
final class GuardTable {
    private static final int FIRST_CAPACITY = 16;

    private final String what;
    private final FastInfosetInput in;
    private final FastInfosetLimits limits;
    private int[] lengths = new int[FIRST_CAPACITY];
    private int count;
    private long characters;

    GuardTable(String what, FastInfosetInput in, FastInfosetLimits limits) {
        this.what = what;
        this.in = in;
        this.limits = limits;
    }

    /** With an entry that is there from the beginning. */
    GuardTable(String what, FastInfosetInput in, FastInfosetLimits limits, int builtInLength) {
        this(what, in, limits);
        lengths[count++] = builtInLength;
    }

    void add(int length) {
        characters += length;
        if (count >= limits.maxTableEntries()) {
            throw in.overLimit("table of " + what, count + 1L, "maxTableEntries", limits.maxTableEntries());
        }
        if (characters > limits.maxTableCharacters()) {
            throw in.overLimit(
                    "characters in table of " + what, characters, "maxTableCharacters", limits.maxTableCharacters());
        }
        if (count == lengths.length) {
            lengths = Arrays.copyOf(lengths, 2 * count);
        }
        lengths[count++] = length;
    }

    /** The length of an entry that is there. */
    int length(int index) {
        if (index >= count) {
            throw in.malformed(what + ": index " + index + " (expected: < " + count + ")");
        }
        return lengths[index];
    }
}

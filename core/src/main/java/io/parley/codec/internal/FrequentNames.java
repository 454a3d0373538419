package io.parley.codec.internal;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Names of elements that were encoded or decoded recently, so that the messages of a pipe do not allocate and encode the same few names
 * again and again. One table serves the whole JVM. It is small and has short ASCII names only, and a name replaces the one in its slot,
 * so other peers can neither fill it nor keep others out for long. Threads that use it at the same time may miss a name and never see a
 * wrong one, because the entries are immutable.
 */
final class FrequentNames {

    /** The table of the JVM. */
    static final FrequentNames SHARED = new FrequentNames();

    /** The length of the longest name in the table, in bytes. */
    static final int MAX_BYTES = 32;

    /** Messages of more elements are rare, and their names may all be different. */
    private static final int MAX_ELEMENTS = 32;

    private static final int SLOTS = 256;

    private static final class Name {
        final String string;
        final byte[] ascii;

        private Name(String string) {
            this.string = string;
            this.ascii = string.getBytes(StandardCharsets.US_ASCII);
        }

        /** Returns {@code null} if the name is long or not ASCII. */
        static @Nullable Name of(String string) {
            return string.length() <= MAX_BYTES && Utf8.length(string) == string.length() ? new Name(string) : null;
        }
    }

    private final @Nullable Name[] names = new Name[SLOTS];

    /** Returns whether the names of a message with that many elements are searched in the table. */
    static boolean serves(int elements) {
        return elements <= MAX_ELEMENTS;
    }

    /** Returns the name in a range of the input, or {@code null} if it is not in the table. */
    @Nullable
    String find(WireInput in, int index, int length) {
        Name name = names[slot(in, index, length)];
        return name != null && name.ascii.length == length && in.matchesAt(name.ascii, index) ? name.string : null;
    }

    /** Adds the name that was decoded from a range of the input, if it is short and ASCII. */
    void add(WireInput in, int index, int length, String name) {
        Name added = Name.of(name);
        if (added != null) {
            names[slot(in, index, length)] = added;
        }
    }

    /** Returns a name in UTF-8, which is added to the table; {@code null} if it is long or not ASCII. The result must not be changed. */
    byte @Nullable [] encoded(String name) {
        int slot = slot(name);
        Name known = names[slot];
        if (known != null && known.string.equals(name)) {
            return known.ascii;
        }
        Name added = Name.of(name);
        if (added == null) {
            return null;
        }
        names[slot] = added;
        return added.ascii;
    }

    private static int slot(WireInput in, int index, int length) {
        if (length == 0) {
            return 0;
        }
        int last = index + length - 1;
        return slot(
                length,
                in.byteAt(index),
                in.byteAt(index + length / 2),
                in.byteAt(Math.max(index, last - 1)),
                in.byteAt(last));
    }

    private static int slot(String name) {
        int length = name.length();
        if (length == 0) {
            return 0;
        }
        int last = length - 1;
        return slot(
                length, name.charAt(0), name.charAt(length / 2), name.charAt(Math.max(0, last - 1)), name.charAt(last));
    }

    /** Returns the slot for a length and some characters: a loop over all of them took a tenth of the time of a small message. */
    private static int slot(int length, int first, int middle, int nextToLast, int last) {
        int hash = (((length * 31 + first) * 31 + middle) * 31 + nextToLast) * 31 + last;
        return (hash ^ hash >>> 8) & (SLOTS - 1);
    }
}

package io.parley.codec.internal;

import org.jspecify.annotations.Nullable;

/**
 * Names of elements that were decoded recently, so that the messages of a pipe do not allocate the same few names again and again.
 * One table serves the whole JVM. It is small and finds short ASCII names only, and a name replaces the one in its slot, so other peers
 * can neither fill it nor keep others out for long. Threads that use it at the same time may miss a name and never see a wrong one,
 * because strings are immutable.
 */
final class FrequentNames {

    /** The length of the longest name in the table, in bytes. */
    static final int MAX_BYTES = 32;

    private static final int SLOTS = 256;

    private final @Nullable String[] names = new String[SLOTS];

    /** Returns the name in a range of the input, or {@code null} if it is not in the table. */
    @Nullable
    String find(WireInput in, int index, int length) {
        String name = names[slot(in, index, length)];
        if (name == null || name.length() != length) {
            return null;
        }
        for (int i = 0; i < length; i++) {
            if (name.charAt(i) != in.byteAt(index + i)) {
                return null;
            }
        }
        return name;
    }

    /** Adds the name that was decoded from a range of at most {@link #MAX_BYTES} bytes of the input. */
    void add(WireInput in, int index, int length, String name) {
        names[slot(in, index, length)] = name;
    }

    private static int slot(WireInput in, int index, int length) {
        int hash = length;
        for (int i = index; i < index + length; i++) {
            hash = 31 * hash + in.byteAt(i);
        }
        return (hash ^ hash >>> 8) & (SLOTS - 1);
    }
}

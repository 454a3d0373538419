package io.parley.codec.xml.fastinfoset;

/**
 * Remembers, roughly, what was seen before, so that only what comes again takes room in a table that the other side has
 * to keep as well. A hash may push out another; a mistake costs some bytes on the wire and nothing else.
 */
final class RecentHashes {
    static final int SLOTS = 1024;

    private final int[] slots = new int[SLOTS];

    /** Whether the hash was seen lately; it is now. */
    boolean saw(int hash) {
        int slot = (hash ^ hash >>> 16) & (SLOTS - 1);
        boolean seen = slots[slot] == hash;
        slots[slot] = hash;
        return seen;
    }
}

package io.parley.codec.xml.fastinfoset;

import io.parley.codec.xml.internal.ElementHead;
import org.jspecify.annotations.Nullable;

/**
 * A cache from the octets of a start tag, from the first octet to the end of the attributes, to the head of the
 * element. It contains only short start tags that add nothing to a table. Table entries never change, so equal octets
 * mean an equal element and need not be parsed again. A new entry replaces the old one in its slot.
 */
final class ElementHeadCache {
    static final int SLOTS = 64;
    private static final int MAX_OCTETS = Long.BYTES;
    /** The octets that select a slot. All cached start tags are longer. */
    private static final long SLOT_MASK = 0xFF_FFFF_FFFFL;

    private static final int MIN_OCTETS = 6;
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private final long[] starts = new long[SLOTS];
    private final int[] lengths = new int[SLOTS];
    private final @Nullable ElementHead[] heads = new ElementHead[SLOTS];

    /** Skips a cached start tag and returns its head. Returns {@code null} and skips nothing if there is none. */
    @Nullable
    ElementHead match(FastInfosetInput in) {
        if (in.remaining() < MAX_OCTETS) {
            return null;
        }
        long octets = in.peekLong();
        int slot = slot(octets);
        ElementHead head = heads[slot];
        return head != null && in.skip(starts[slot], lengths[slot]) ? head : null;
    }

    /** Adds a start tag of {@code length} octets, unless it is too short or too long. */
    void put(long octets, int length, ElementHead head) {
        if (length >= MIN_OCTETS && length <= MAX_OCTETS) {
            int slot = slot(octets);
            starts[slot] = octets & FastInfosetInput.mask(length);
            lengths[slot] = length;
            heads[slot] = head;
        }
    }

    private static int slot(long octets) {
        return (int) (((octets & SLOT_MASK) * MULTIPLIER) >>> 58);
    }
}

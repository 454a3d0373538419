package io.parley.codec.xml.fastinfoset;

import io.parley.codec.xml.internal.ElementHead;
import org.jspecify.annotations.Nullable;

/**
 * The starts of elements that were read before, from their first octet to the end of their attributes, as far as they
 * were short and put nothing into a table. Entries of tables never change, so the same octets mean the same element again
 * and need not be taken apart. A start that comes to the place of another pushes it out.
 */
final class ElementHeadCache {
    static final int SLOTS = 64;
    private static final int MAX_OCTETS = Long.BYTES;
    /** All starts are longer, so that these octets tell where one is looked for. */
    private static final long LEAST_MASK = 0xFF_FFFF_FFFFL;

    private static final int LEAST_OCTETS = 6;
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private final long[] starts = new long[SLOTS];
    private final int[] lengths = new int[SLOTS];
    private final @Nullable ElementHead[] heads = new ElementHead[SLOTS];

    /** The head that begins here, whose octets are skipped; {@code null}, with nothing skipped, when none is known. */
    @Nullable
    ElementHead skip(FastInfosetInput in) {
        if (in.remaining() < MAX_OCTETS) {
            return null;
        }
        long octets = in.peekLong();
        int slot = slot(octets);
        ElementHead head = heads[slot];
        return head != null && in.skip(starts[slot], lengths[slot]) ? head : null;
    }

    /** Keeps a start of so many octets, unless it is too short or too long. */
    void keep(long octets, int length, ElementHead head) {
        if (length >= LEAST_OCTETS && length <= MAX_OCTETS) {
            int slot = slot(octets);
            starts[slot] = octets & FastInfosetInput.mask(length);
            lengths[slot] = length;
            heads[slot] = head;
        }
    }

    private static int slot(long octets) {
        return (int) (((octets & LEAST_MASK) * MULTIPLIER) >>> 58);
    }
}

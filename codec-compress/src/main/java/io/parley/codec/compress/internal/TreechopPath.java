package io.parley.codec.compress.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A path from the root of a document to nodes of one kind and label, and its codeword: the codeword of the parent and the Golomb code
 * (parameter 2) of the path's number among the children of the parent. So a codeword is a prefix of those of all paths below.
 */
final class TreechopPath {

    /** The largest number of bits of a codeword. */
    static final int MAX_BITS = 252;

    /** The number and the label of the root of all paths, which stands for the document. */
    private static final byte[] NO_LABEL = {};

    final TreechopKind kind;
    final byte[] label;
    final int bits;
    final byte[] code;
    private final List<TreechopPath> children = new ArrayList<>(0);

    private TreechopPath(TreechopKind kind, byte[] label, int bits, byte[] code) {
        this.kind = kind;
        this.label = label;
        this.bits = bits;
        this.code = code;
    }

    /** Returns the path of the document, which has no codeword. */
    static TreechopPath document() {
        return new TreechopPath(TreechopKind.ELEMENT, NO_LABEL, 0, NO_LABEL);
    }

    /** Returns whether the codeword of another child would have at most {@link #MAX_BITS} bits. */
    boolean hasRoom() {
        return bits + codeBits(children.size()) <= MAX_BITS;
    }

    private static int codeBits(int number) {
        return number / 2 + 2;
    }

    /** Adds a child, for which there must be room. */
    TreechopPath add(TreechopKind childKind, byte[] childLabel) {
        int number = children.size();
        int childBits = bits + codeBits(number);
        byte[] childCode = Arrays.copyOf(code, (childBits + 7) / 8);
        for (int bit = bits; bit < childBits - 2; bit++) {
            set(childCode, bit);
        }
        if (number % 2 == 1) {
            set(childCode, childBits - 1);
        }
        TreechopPath child = new TreechopPath(childKind, childLabel, childBits, childCode);
        children.add(child);
        return child;
    }

    private static void set(byte[] code, int bit) {
        code[bit / 8] |= (byte) (0x80 >>> (bit % 8));
    }

    private static boolean isSet(byte[] code, int bit) {
        return (code[bit / 8] & 0x80 >>> (bit % 8)) != 0;
    }

    int children() {
        return children.size();
    }

    TreechopPath child(int number) {
        return children.get(number);
    }

    /** Returns the number of the child with a codeword, which may be one that was not added, or -1 if it is not that of a child. */
    int numberOf(byte[] childCode, int childBits) {
        if (childBits < bits + 2 || !extendsThis(childCode)) {
            return -1;
        }
        int bit = bits;
        while (bit < childBits && isSet(childCode, bit)) {
            bit++;
        }
        if (bit + 2 != childBits) {
            return -1;
        }
        for (int padding = childBits; padding < 8 * childCode.length; padding++) {
            if (isSet(childCode, padding)) {
                return -1;
            }
        }
        return 2 * (bit - bits) + (isSet(childCode, bit + 1) ? 1 : 0);
    }

    private boolean extendsThis(byte[] childCode) {
        int whole = bits / 8;
        if (!Arrays.equals(code, 0, whole, childCode, 0, whole)) {
            return false;
        }
        int mask = 0xff00 >>> (bits % 8) & 0xff;
        return mask == 0 || (code[whole] & mask) == (childCode[whole] & mask);
    }
}

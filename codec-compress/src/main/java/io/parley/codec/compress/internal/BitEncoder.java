package io.parley.codec.compress.internal;

/** A binary arithmetic encoder without carries: an interval of 32-bit numbers becomes smaller with each bit (Mahoney, lpaq). */
final class BitEncoder implements BitCoder {

    private final GrowingArray out;
    private int low;
    private int high = -1;
    private boolean complete = true;

    BitEncoder(GrowingArray out) {
        this.out = out;
    }

    @Override
    public int code(int bit, int probability) {
        int middle = middle(low, high, probability);
        if (bit == 1) {
            high = middle;
        } else {
            low = middle + 1;
        }
        while ((low ^ high) >>> 24 == 0) {
            write(high >>> 24);
            low <<= 8;
            high = (high << 8) | 0xff;
        }
        return bit;
    }

    /** Returns the largest number of the part of an interval that stands for 1. */
    static int middle(int low, int high, int probability) {
        long size = Integer.toUnsignedLong(high) - Integer.toUnsignedLong(low);
        return low + (int) ((size * probability) >>> 16);
    }

    /**
     * Writes a byte that, with zeros behind it, is a number of the interval, and removes zeros at the end of the output from a position on:
     * the decoder reads zeros behind the end.
     *
     * @return false if the output was full
     */
    boolean end(int from) {
        write((low + 0xffffff) >>> 24); // the highest bytes of the interval differ
        out.removeZeros(from);
        return complete;
    }

    private void write(int b) {
        complete &= !out.isFull();
        if (complete) {
            out.write(b);
        }
    }
}

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
     * Writes the shortest number of the interval, and removes zeros at the end of the output from a position on: the decoder reads zeros
     * behind the end.
     *
     * @return false if the output was full
     */
    boolean end(int from) {
        int shift = 24;
        while (shift > 0 && Integer.compareUnsigned(roundedUp(shift), high) > 0) {
            shift -= 8;
        }
        int number = roundedUp(shift);
        for (int bits = 24; bits >= 0; bits -= 8) {
            write(number >>> bits);
        }
        out.removeZeros(from);
        return complete;
    }

    /** Returns the smallest number of the interval whose lowest bits are 0. It is larger than all others if there is none. */
    private int roundedUp(int zeroBits) {
        int mask = (1 << zeroBits) - 1;
        boolean overflows = Integer.compareUnsigned(low, ~mask) > 0;
        return overflows ? -1 : (low + mask) & ~mask;
    }

    private void write(int b) {
        complete &= !out.isFull();
        if (complete) {
            out.write(b);
        }
    }
}

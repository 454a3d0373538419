package io.parley.testkit.codec;

import java.util.Arrays;
import java.util.Random;

/** Corrupts bytes at random, from a seed, like faulty and hostile senders. Not thread-safe. */
public final class ByteMutator {
    private static final int[] BOUNDARY_BYTES = {0, 1, 2, 4, 8, 0x0F, 0x10, 0x20, 0x7F, 0x80, 0xFE, 0xFF};

    private final Random random;

    /** Creates a mutator. Mutators with the same seed make the same changes. */
    public ByteMutator(long seed) {
        this.random = new Random(seed);
    }

    /** Returns a copy with one to four changes. */
    public byte[] mutate(byte[] bytes) {
        byte[] mutated = bytes.clone();
        for (int left = 1 + random.nextInt(4); left > 0; left--) {
            mutated = change(mutated);
        }
        return mutated;
    }

    private byte[] change(byte[] bytes) {
        int at = random.nextInt(bytes.length + 1);
        int length = random.nextInt(1 + Math.min(16, bytes.length - at));
        switch (random.nextInt(7)) {
            case 0 -> flipBit(bytes, at);
            case 1 -> overwrite(bytes, at, 1);
            case 2 -> overwrite(bytes, at, 2);
            case 3 -> overwrite(bytes, at, 4);
            case 4 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 5 -> {
                return splice(bytes, at, at + length, 0, 0);
            }
            default -> {
                // Repeats or moves a range.
                return splice(bytes, at, at + random.nextInt(length + 1), at, length);
            }
        }
        return bytes;
    }

    private void flipBit(byte[] bytes, int at) {
        if (at < bytes.length) {
            bytes[at] ^= (byte) (1 << random.nextInt(8));
        }
    }

    /** Overwrites a field of one, two or four bytes with a boundary value of counts and lengths. */
    private void overwrite(byte[] bytes, int at, int length) {
        int value = BOUNDARY_BYTES[random.nextInt(BOUNDARY_BYTES.length)];
        for (int i = at; i < Math.min(at + length, bytes.length); i++) {
            bytes[i] = (byte) (i == at || random.nextBoolean() ? value : 0);
        }
    }

    private static byte[] splice(byte[] bytes, int from, int to, int insertFrom, int insertLength) {
        byte[] result = new byte[bytes.length - (to - from) + insertLength];
        System.arraycopy(bytes, 0, result, 0, from);
        System.arraycopy(bytes, insertFrom, result, from, insertLength);
        System.arraycopy(bytes, to, result, from + insertLength, bytes.length - to);
        return result;
    }
}

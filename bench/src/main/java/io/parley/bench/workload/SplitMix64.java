package io.parley.bench.workload;

import java.util.List;

/** A generator of random numbers that are the same in every language and on every JDK. */
final class SplitMix64 {

    private static final long STEP = 0x9E3779B97F4A7C15L;

    private long state;

    SplitMix64(long seed) {
        this.state = seed;
    }

    /** Returns a number from 0 to {@code bound} - 1. */
    int below(int bound) {
        state += STEP;
        long mixed = state;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return (int) Long.remainderUnsigned(mixed ^ (mixed >>> 31), bound);
    }

    /** Returns bytes that no format can compress. */
    byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) below(256);
        }
        return bytes;
    }

    <T> T pick(List<T> items) {
        return items.get(below(items.size()));
    }
}

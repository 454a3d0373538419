package io.parley.testkit;

import java.util.List;
import java.util.stream.IntStream;

/** Names with the same hash code, for which a hash table without a tree or a secret takes quadratic time. */
public final class CollidingNames {

    private CollidingNames() {}

    /**
     * Returns different names of the same length and the same {@link String#hashCode()}, of letters only. They have the same
     * first letter, because some hash functions combine it with a seed.
     */
    public static List<String> of(int count) {
        int bits = 32 - Integer.numberOfLeadingZeros(Math.max(1, count - 1));
        return IntStream.range(0, count).mapToObj(i -> name(i, bits)).toList();
    }

    private static String name(int number, int bits) {
        StringBuilder name = new StringBuilder(2 * bits + 1).append('n');
        for (int bit = 0; bit < bits; bit++) {
            name.append((number >> bit & 1) == 0 ? "Aa" : "BB"); // 31 * 'A' + 'a' == 31 * 'B' + 'B'
        }
        return name.toString();
    }
}

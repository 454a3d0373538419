package io.parley.testkit;

import java.util.List;
import java.util.stream.IntStream;

/** Names with the same hash code, for which a hash table without a tree or a secret takes quadratic time. */
public final class CollidingNames {

    /** The same for every count, so that the bytes of an input grow as the number of its names. */
    private static final int PAIRS = 16;

    /** The maximum number of names. */
    public static final int MAX_NAMES = 1 << PAIRS;

    private CollidingNames() {}

    /**
     * Returns different names of the same {@link String#hashCode()} and of one length, which does not depend on their number, of
     * letters only. They have the same first letter, because some hash functions combine it with a seed.
     *
     * @param count the number of names
     * @throws IllegalArgumentException if {@code count} is not from 0 to {@link #MAX_NAMES}
     */
    public static List<String> of(int count) {
        if (count < 0 || count > MAX_NAMES) {
            throw new IllegalArgumentException("count: " + count + " (expected: 0 to " + MAX_NAMES + ")");
        }
        return IntStream.range(0, count).mapToObj(CollidingNames::name).toList();
    }

    private static String name(int number) {
        StringBuilder name = new StringBuilder(1 + 2 * PAIRS).append('n');
        for (int pair = 0; pair < PAIRS; pair++) {
            name.append((number >> pair & 1) == 0 ? "Aa" : "BB"); // 31 * 'A' + 'a' == 31 * 'B' + 'B'
        }
        return name.toString();
    }
}

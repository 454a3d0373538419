package io.parley.testkit;

import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * The seed of random tests. The system property {@value #PROPERTY} sets it; otherwise it is random. Each use prints the
 * seed, so a failed run can be repeated with {@code -Dparley.test.seed=...}.
 */
public final class TestSeed {

    /** The system property that sets the seed, a decimal number. */
    public static final String PROPERTY = "parley.test.seed";

    private TestSeed() {}

    /** Returns the seed, and prints it with the purpose. */
    public static long next(String purpose) {
        Long set = Long.getLong(PROPERTY);
        long seed = set == null ? RandomGenerator.getDefault().nextLong() : set;
        System.out.println("Seed of " + purpose + ": -D" + PROPERTY + "=" + seed);
        return seed;
    }

    /** Returns a source of random numbers with {@link #next} as its seed. */
    public static Random random(String purpose) {
        return new Random(next(purpose));
    }
}

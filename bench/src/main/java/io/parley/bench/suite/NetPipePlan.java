package io.parley.bench.suite;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The block sizes, rounds and times of the suite {@code netpipe}.
 *
 * @param sizes the sizes in bytes, ascending
 * @param rounds the turns of each contender with each size, after the warm-up
 * @param warmUp the time of a warm-up
 * @param turn the time of a turn
 */
record NetPipePlan(List<Integer> sizes, int rounds, Duration warmUp, Duration turn) {

    /** NetPIPE measures each size also with so many bytes less and more. */
    static final int PERTURBATION = 3;

    /** The largest block. */
    static final int MAX_BYTES = 16 << 20;

    /** The rounds of the medians that are compared size by size. */
    static final int ROUNDS = 5;

    private static final int MIN_PERTURBED_BYTES = 8;
    private static final int QUICK_STEP = 16;
    private static final int QUICK_FIRST_PERTURBED = 1 << 10;
    private static final int QUICK_PERTURBED_STEP = 64;
    private static final int VARIANT_STEP = 4;

    /** Returns the plan of the figure with all contenders. */
    static NetPipePlan of(TimeBudget budget) {
        if (budget.isTiny()) {
            return new NetPipePlan(List.of(1, 1021, 1024, 1027, 64 << 10), 2, budget.warmUp(), budget.turn());
        }
        if (!budget.isFull()) {
            return new NetPipePlan(
                    sizes(QUICK_STEP, false, QUICK_FIRST_PERTURBED, QUICK_PERTURBED_STEP),
                    budget.rounds(),
                    Duration.ofMillis(60),
                    Duration.ofMillis(30));
        }
        return new NetPipePlan(
                sizes(2, true, MIN_PERTURBED_BYTES, 2), ROUNDS, Duration.ofMillis(80), Duration.ofMillis(50));
    }

    /** Returns the plan for networks and heaps of other sizes: fewer sizes, none of them perturbed. */
    static NetPipePlan ofVariants(TimeBudget budget) {
        NetPipePlan plan = of(budget);
        return budget.isTiny()
                ? new NetPipePlan(List.of(1, 1024), 1, plan.warmUp, plan.turn)
                : new NetPipePlan(
                        sizes(VARIANT_STEP, false, Integer.MAX_VALUE, 2), plan.rounds, plan.warmUp, plan.turn);
    }

    /**
     * Returns the powers of {@code step} up to {@link #MAX_BYTES}, and those between that NetPIPE has.
     *
     * @param between whether the sizes 3 x 2^k are among them
     * @param firstPerturbed the first power that is measured with three bytes less and more
     * @param perturbedStep the factor to the next one
     */
    private static List<Integer> sizes(int step, boolean between, int firstPerturbed, int perturbedStep) {
        SortedSet<Integer> sizes = new TreeSet<>();
        for (long size = 1; size <= MAX_BYTES; size *= step) {
            sizes.add((int) size);
        }
        for (long size = 3; between && size <= MAX_BYTES; size *= 2) {
            sizes.add((int) size);
        }
        for (long size = firstPerturbed; size <= MAX_BYTES; size *= perturbedStep) {
            sizes.addAll(List.of((int) size - PERTURBATION, (int) size, (int) size + PERTURBATION));
        }
        return List.copyOf(new ArrayList<>(sizes));
    }
}

package io.parley.examples.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * A figure that is measured repeatedly until it is steady. A JVM gets faster while it compiles its code; the figure is
 * settled if {@value #STEADY_ROUNDS} rounds in a row are not more than 5% better than the best round before them. The
 * number of rounds and the time are limited.
 */
final class SettledFigure {

    static final int STEADY_ROUNDS = 5;

    private static final double MIN_IMPROVEMENT = 1.05;

    private final int maxRounds;
    private final long maxNanos;
    private final List<Double> rates = new ArrayList<>();
    private double best;
    private long nanos;
    private int steadyRounds;

    /**
     * Creates a figure without measurements.
     *
     * @param maxRounds the maximum number of rounds, at least 1
     * @param maxNanos  the maximum duration of all rounds, in nanoseconds
     */
    SettledFigure(int maxRounds, long maxNanos) {
        this.maxRounds = maxRounds;
        this.maxNanos = maxNanos;
    }

    /**
     * Adds the result of a round.
     *
     * @param rate  the result; higher is better
     * @param nanos the duration of the round, in nanoseconds
     */
    void add(double rate, long nanos) {
        steadyRounds = rate > best * MIN_IMPROVEMENT ? 0 : steadyRounds + 1;
        best = Math.max(best, rate);
        this.nanos += nanos;
        rates.add(rate);
    }

    /** Returns whether no further round is needed: the figure is steady or a limit is reached. */
    boolean isDone() {
        return steadyRounds >= STEADY_ROUNDS || rates.size() >= maxRounds || nanos >= maxNanos;
    }

    /** Returns the number of rounds before those that {@link #median} covers. */
    int warmUpRounds() {
        return Math.max(0, rates.size() - STEADY_ROUNDS);
    }

    /** Returns the median of the last {@value #STEADY_ROUNDS} rounds. */
    double median() {
        List<Double> last =
                rates.subList(warmUpRounds(), rates.size()).stream().sorted().toList();
        return last.get(last.size() / 2);
    }
}

package io.parley.bench.result;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The median, minimum and maximum over the rounds of a run.
 *
 * @param rounds the number of rounds; 0 if it is unknown
 * @param interval the 95 % confidence interval of the median; {@code null} if the rounds are too few for one, or unknown
 */
public record Spread(
        double median,
        double min,
        double max,
        int rounds,
        @Nullable Interval interval) {

    /** The minimum number of rounds of a figure that is compared with a target. */
    public static final int MIN_VERDICT_ROUNDS = 15;

    /** Creates a spread of an unknown number of rounds. */
    public Spread(double median, double min, double max) {
        this(median, min, max, 0, null);
    }

    /** Returns the spread of {@code values}, which must not be empty. */
    public static Spread of(Collection<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        if (sorted.length == 0) {
            throw new IllegalArgumentException("values: 0 (expected: >= 1)");
        }
        return new Spread(
                median(sorted), sorted[0], sorted[sorted.length - 1], sorted.length, Interval.ofMedian(sorted));
    }

    private static double median(double[] sorted) {
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    /**
     * Returns the ratio of this median to that of {@code other}, for rounds that are not pairs. The interval is the quotient of
     * both intervals, which is wider than necessary; there is no range.
     */
    public Spread ratioOfMedians(Spread other) {
        double ratio = median / other.median;
        Interval own = interval;
        Interval others = other.interval;
        return new Spread(
                ratio,
                ratio,
                ratio,
                Math.min(rounds, other.rounds),
                own == null || others == null || others.low <= 0
                        ? null
                        : new Interval(own.low / others.high, own.high / others.low));
    }

    /** An interval that contains the true value with a probability of at least 95 %. */
    public record Interval(double low, double high) {

        private static final double MAX_TAIL = 0.025;

        /** Returns whether the interval contains {@code value}. */
        public boolean contains(double value) {
            return low <= value && value <= high;
        }

        /**
         * Returns the interval of the median by order statistics, without an assumption about the distribution: the number of
         * values below the true median is binomial with probability 1/2. The interval is between the k-th lowest and the k-th
         * highest value, for the greatest k whose tails have at most 2.5 % each.
         *
         * @return {@code null} if there are fewer than six values: even the range is then no 95 % interval
         */
        static @Nullable Interval ofMedian(double[] sorted) {
            int n = sorted.length;
            double logProbability = -n * Math.log(2);
            double tail = Math.exp(logProbability);
            int k = 0;
            while (tail <= MAX_TAIL) {
                k++;
                logProbability += Math.log((n - k + 1.0) / k);
                tail += Math.exp(logProbability);
            }
            return k == 0 ? null : new Interval(sorted[k - 1], sorted[n - k]);
        }
    }
}

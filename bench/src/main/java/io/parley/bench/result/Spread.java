package io.parley.bench.result;

import java.util.Arrays;
import java.util.Collection;

/** The median, minimum and maximum over the rounds of a run. */
public record Spread(double median, double min, double max) {

    /** Returns the spread of {@code values}, which must not be empty. */
    public static Spread of(Collection<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        if (sorted.length == 0) {
            throw new IllegalArgumentException("values: 0 (expected: >= 1)");
        }
        return new Spread(median(sorted), sorted[0], Arrays.stream(sorted).max().orElseThrow());
    }

    private static double median(double[] sorted) {
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
}

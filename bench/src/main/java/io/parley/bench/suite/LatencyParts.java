package io.parley.bench.suite;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** The percentiles of a histogram of nanoseconds, as parts of a result in µs. */
final class LatencyParts {

    private static final double NANOS_PER_MICRO = 1e3;
    private static final Map<String, Double> PERCENTILES = percentiles();

    private LatencyParts() {}

    private static Map<String, Double> percentiles() {
        Map<String, Double> percentiles = new LinkedHashMap<>();
        percentiles.put("p50", 50.0);
        percentiles.put("p90", 90.0);
        percentiles.put("p99", 99.0);
        percentiles.put("p99.9", 99.9);
        percentiles.put("max", 100.0);
        return percentiles;
    }

    /** Returns all percentiles. */
    static Map<String, Double> of(Histogram histogram) {
        Map<String, Double> parts = new LinkedHashMap<>();
        PERCENTILES.forEach((name, percentile) -> parts.put(name, micros(histogram, percentile)));
        return parts;
    }

    /** Returns one percentile, in µs. */
    static double micros(Histogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile) / NANOS_PER_MICRO;
    }
}

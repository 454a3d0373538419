package io.parley.bench.result;

import java.util.Map;

/**
 * One measured figure.
 *
 * @param contender the name of the contender
 * @param form the wait mode of the measuring side, or the benchmark method; empty if there is only one
 * @param bytes the size of each message, in bytes
 * @param value the measured value, in the unit of the experiment
 * @param parts further values in the same unit: percentiles, or the share of each side
 * @param samples the number of messages (or operations) measured in all rounds
 * @param ratios this value divided by the value of each comparator, round by round
 * @param cpuRatios the processor time per message divided by that of each comparator, round by round; empty if it was
 *     not measured
 */
public record Figure(
        String contender,
        String form,
        int bytes,
        Spread value,
        Map<String, Spread> parts,
        long samples,
        Map<String, Spread> ratios,
        Map<String, Spread> cpuRatios) {

    /** Creates a figure without processor time. */
    public Figure(
            String contender,
            String form,
            int bytes,
            Spread value,
            Map<String, Spread> parts,
            long samples,
            Map<String, Spread> ratios) {
        this(contender, form, bytes, value, parts, samples, ratios, Map.of());
    }

    /** Returns a copy with {@code newRatios}. */
    public Figure withRatios(Map<String, Spread> newRatios) {
        return new Figure(contender, form, bytes, value, parts, samples, newRatios, cpuRatios);
    }
}

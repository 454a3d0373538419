package io.parley.bench.result;

import java.util.Map;

/**
 * One measured figure.
 *
 * @param contender who
 * @param form how the measuring side waited, or which benchmark method; empty where there is one way only
 * @param bytes the size of each message
 * @param value the figure itself, in the unit of its experiment
 * @param parts what else belongs to it, in the same unit: percentiles, or the share of each side
 * @param samples messages (or operations) measured, over all rounds
 * @param ratios this value divided by that of each comparator, round by round
 */
public record Figure(
        String contender,
        String form,
        int bytes,
        Spread value,
        Map<String, Spread> parts,
        long samples,
        Map<String, Spread> ratios) {

    /** This figure with those ratios. */
    public Figure withRatios(Map<String, Spread> newRatios) {
        return new Figure(contender, form, bytes, value, parts, samples, newRatios);
    }
}

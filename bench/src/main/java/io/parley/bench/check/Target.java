package io.parley.bench.check;

import io.parley.bench.result.Figure;
import io.parley.bench.result.Results;
import io.parley.bench.result.Spread;
import java.util.Optional;

/**
 * A performance target: the limit that a figure must meet.
 *
 * @param key the figure
 * @param quantity the judged quantity of the figure
 * @param against the contender to whose figure the ratio is taken; empty if the limit applies to the figure itself
 * @param limit the limit, in the unit of the figure or as a ratio
 * @param upperBound whether the limit is an upper bound; otherwise it is a lower bound
 */
record Target(FigureKey key, Quantity quantity, String against, double limit, boolean upperBound) {

    private static final String NUMBER = "%,.5g";

    static Target atMost(double limit, FigureKey key) {
        return new Target(key, Quantity.VALUE, "", limit, true);
    }

    static Target atLeast(double limit, FigureKey key) {
        return new Target(key, Quantity.VALUE, "", limit, false);
    }

    static Target ratioAtMost(double limit, FigureKey key, String against) {
        return new Target(key, Quantity.RATIO, against, limit, true);
    }

    static Target ratioAtLeast(double limit, FigureKey key, String against) {
        return new Target(key, Quantity.RATIO, against, limit, false);
    }

    /** Returns an upper bound of the processor time per message, as a ratio. */
    static Target cpuRatioAtMost(double limit, FigureKey key, String against) {
        return new Target(key, Quantity.CPU_RATIO, against, limit, true);
    }

    /** Compares this target with the results of a run. */
    Verdict verdict(Results results) {
        return measured(results).map(this::verdict).orElse(Verdict.UNMEASURED);
    }

    private Verdict verdict(Spread measured) {
        if (!isMet(measured.median())) {
            return Verdict.MISSED;
        }
        Spread.Interval interval = measured.interval();
        boolean isOpen = measured.rounds() < Spread.MIN_VERDICT_ROUNDS || interval == null || interval.contains(limit);
        return isOpen ? Verdict.OPEN : Verdict.MET;
    }

    private boolean isMet(double value) {
        return upperBound ? value <= limit : value >= limit;
    }

    private Optional<Spread> measured(Results results) {
        return key.in(results).flatMap(this::measured);
    }

    private Optional<Spread> measured(Figure figure) {
        return switch (quantity) {
            case VALUE -> Optional.of(figure.value());
            case RATIO -> Optional.ofNullable(figure.ratios().get(against));
            case CPU_RATIO -> Optional.ofNullable(figure.cpuRatios().get(against));
        };
    }

    @Override
    public String toString() {
        return key
                + switch (quantity) {
                    case VALUE -> "";
                    case RATIO -> ", to " + against;
                    case CPU_RATIO -> ", processor time, to " + against;
                };
    }

    /** Returns one line for the console with the verdict, the target, the measured value and the expected value. */
    String line(Results results) {
        return "%-6s %s: %s (expected: %s %s)"
                .formatted(
                        verdict(results).label(),
                        this,
                        measured(results).map(Target::text).orElse("not measured"),
                        upperBound ? "<=" : ">=",
                        NUMBER.formatted(limit));
    }

    private static String text(Spread measured) {
        Spread.Interval interval = measured.interval();
        String median = NUMBER.formatted(measured.median());
        if (measured.rounds() < Spread.MIN_VERDICT_ROUNDS || interval == null) {
            return "%s in %d rounds of %d".formatted(median, measured.rounds(), Spread.MIN_VERDICT_ROUNDS);
        }
        return "%s [%s to %s]".formatted(median, NUMBER.formatted(interval.low()), NUMBER.formatted(interval.high()));
    }

    /** The quantity of a figure that is compared with the limit. */
    enum Quantity {
        /** The value. */
        VALUE,
        /** The ratio of the value to that of a comparator. */
        RATIO,
        /** The ratio of the processor time per message to that of a comparator. */
        CPU_RATIO
    }
}

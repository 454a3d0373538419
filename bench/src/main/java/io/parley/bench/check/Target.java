package io.parley.bench.check;

import io.parley.bench.result.Figure;
import io.parley.bench.result.Results;
import io.parley.bench.result.Spread;
import io.parley.bench.worker.Placement;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A performance target: the limit that a figure must meet.
 *
 * @param key the figure
 * @param quantity the judged quantity of the figure
 * @param against the contender to whose figure the ratio is taken; empty if the limit applies to the figure itself
 * @param limit the limit, in the unit of the figure or as a ratio
 * @param upperBound whether the limit is an upper bound; otherwise it is a lower bound
 * @param placement the placement of the runs that are judged; {@code null} for all
 * @param medianRounds the rounds after which the median alone is judged; 0 if the 95 % interval is
 */
record Target(
        FigureKey key,
        Quantity quantity,
        String against,
        double limit,
        boolean upperBound,
        @Nullable Placement placement,
        int medianRounds) {

    private static final String NUMBER = "%,.5g";

    static Target atMost(double limit, FigureKey key) {
        return new Target(key, Quantity.VALUE, "", limit, true, null, 0);
    }

    static Target atLeast(double limit, FigureKey key) {
        return new Target(key, Quantity.VALUE, "", limit, false, null, 0);
    }

    static Target ratioAtMost(double limit, FigureKey key, String against) {
        return new Target(key, Quantity.RATIO, against, limit, true, null, 0);
    }

    static Target ratioAtLeast(double limit, FigureKey key, String against) {
        return new Target(key, Quantity.RATIO, against, limit, false, null, 0);
    }

    /** Returns an upper bound of the processor time per message, as a ratio. */
    static Target cpuRatioAtMost(double limit, FigureKey key, String against) {
        return new Target(key, Quantity.CPU_RATIO, against, limit, true, null, 0);
    }

    /** Returns the same target for runs with this placement only. */
    Target in(Placement judged) {
        return new Target(key, quantity, against, limit, upperBound, judged, medianRounds);
    }

    /** Returns the same target for a figure whose definition has medians of this number of rounds, so that there is no interval. */
    Target byMediansOf(int rounds) {
        return new Target(key, quantity, against, limit, upperBound, placement, rounds);
    }

    /** Returns the same target for a figure that is the same in each run, so that one measurement is sufficient. */
    Target exact() {
        return byMediansOf(1);
    }

    /** Returns whether this target judges a run, and the run has the figure. */
    boolean isMeasured(Results results) {
        return measured(results).isPresent();
    }

    /** Compares this target with the results of a run. */
    Verdict verdict(Results results) {
        return measured(results).map(this::verdict).orElse(Verdict.UNMEASURED);
    }

    private Verdict verdict(Spread measured) {
        if (!isMet(measured.median())) {
            return Verdict.MISSED;
        }
        if (medianRounds > 0) {
            return measured.rounds() < medianRounds ? Verdict.OPEN : Verdict.MET;
        }
        Spread.Interval interval = measured.interval();
        if (measured.rounds() < Spread.MIN_VERDICT_ROUNDS || interval == null) {
            return Verdict.OPEN;
        }
        return interval.contains(limit) ? Verdict.OPEN : Verdict.MET;
    }

    private boolean isMet(double value) {
        return upperBound ? value <= limit : value >= limit;
    }

    private Optional<Spread> measured(Results results) {
        boolean isJudged = placement == null || placement == results.machine().placement();
        return isJudged ? key.in(results).flatMap(this::measured) : Optional.empty();
    }

    private Optional<Spread> measured(Figure figure) {
        return switch (quantity) {
            case VALUE -> Optional.of(figure.value());
            case RATIO -> Optional.ofNullable(figure.ratios().get(against));
            case CPU_RATIO -> Optional.ofNullable(figure.cpuRatios().get(against));
        };
    }

    private String text(@Nullable Placement shown) {
        return key
                + switch (quantity) {
                    case VALUE -> "";
                    case RATIO -> ", to " + against;
                    case CPU_RATIO -> ", processor time, to " + against;
                }
                + (shown == null || shown == Placement.ANY ? "" : ", " + shown.label());
    }

    private String expected() {
        return "(expected: %s %s)".formatted(upperBound ? "<=" : ">=", NUMBER.formatted(limit));
    }

    /** Returns one line for the console if no run has the figure. */
    String line() {
        return "%-6s %s: not measured %s".formatted(Verdict.UNMEASURED.label(), text(placement), expected());
    }

    /** Returns one line for the console with the verdict, the target, the measured value and the expected value. */
    String line(Results results) {
        return measured(results)
                .map(spread -> "%-6s %s: %s %s"
                        .formatted(
                                verdict(spread).label(), text(results.machine().placement()), text(spread), expected()))
                .orElseGet(this::line);
    }

    private String text(Spread measured) {
        if (medianRounds == 1) {
            return NUMBER.formatted(measured.median());
        }
        if (medianRounds > 0) {
            return "%s by medians of %d rounds".formatted(NUMBER.formatted(measured.median()), measured.rounds());
        }
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

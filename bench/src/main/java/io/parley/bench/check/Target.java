package io.parley.bench.check;

import io.parley.bench.result.Figure;
import io.parley.bench.result.Results;
import io.parley.bench.result.Spread;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A performance target: the limit that a figure must meet.
 *
 * @param key the figure
 * @param against the contender to whose figure the ratio is taken; empty if the limit applies to the figure itself
 * @param limit the limit, in the unit of the figure or as a ratio
 * @param upperBound whether the limit is an upper bound; otherwise it is a lower bound
 */
record Target(FigureKey key, Optional<String> against, double limit, boolean upperBound) {

    static Target atMost(double limit, FigureKey key) {
        return new Target(key, Optional.empty(), limit, true);
    }

    static Target atLeast(double limit, FigureKey key) {
        return new Target(key, Optional.empty(), limit, false);
    }

    static Target ratioAtMost(double limit, FigureKey key, String against) {
        return new Target(key, Optional.of(against), limit, true);
    }

    static Target ratioAtLeast(double limit, FigureKey key, String against) {
        return new Target(key, Optional.of(against), limit, false);
    }

    /** Returns the median, or the ratio of medians; empty if it was not measured. */
    OptionalDouble measured(Results results) {
        Optional<Spread> found = key.in(results).flatMap(this::figure);
        return found.map(spread -> OptionalDouble.of(spread.median())).orElseGet(OptionalDouble::empty);
    }

    private Optional<Spread> figure(Figure figure) {
        return against.isEmpty()
                ? Optional.of(figure.value())
                : Optional.ofNullable(figure.ratios().get(against.get()));
    }

    boolean isMet(double value) {
        return upperBound ? value <= limit : value >= limit;
    }

    @Override
    public String toString() {
        return key + against.map(other -> ", to " + other).orElse("");
    }

    /** Returns one line for the console with the target, the measured value and the expected value. */
    String verdict(double value) {
        return "%s %s: %,.5g (expected: %s %,.5g)"
                .formatted(isMet(value) ? "held  " : "MISSED", this, value, upperBound ? "<=" : ">=", limit);
    }
}

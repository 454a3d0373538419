package io.parley.bench.check;

import io.parley.bench.result.Figure;
import io.parley.bench.result.Results;
import io.parley.bench.result.Spread;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a figure has to be.
 *
 * @param against whose figure it is divided by first; empty for none
 * @param most whether the limit is the most that it may be, else the least
 */
record Target(FigureKey spot, Optional<String> against, double limit, boolean most) {

    static Target atMost(double limit, FigureKey spot) {
        return new Target(spot, Optional.empty(), limit, true);
    }

    static Target atLeast(double limit, FigureKey spot) {
        return new Target(spot, Optional.empty(), limit, false);
    }

    static Target ratioAtMost(double limit, FigureKey spot, String against) {
        return new Target(spot, Optional.of(against), limit, true);
    }

    static Target ratioAtLeast(double limit, FigureKey spot, String against) {
        return new Target(spot, Optional.of(against), limit, false);
    }

    /** The median; empty when it was not measured. */
    OptionalDouble measured(Results results) {
        Optional<Spread> found = spot.in(results).flatMap(this::figure);
        return found.map(spread -> OptionalDouble.of(spread.median())).orElseGet(OptionalDouble::empty);
    }

    private Optional<Spread> figure(Figure figure) {
        return against.isEmpty()
                ? Optional.of(figure.value())
                : Optional.ofNullable(figure.ratios().get(against.get()));
    }

    boolean isHeld(double value) {
        return most ? value <= limit : value >= limit;
    }

    @Override
    public String toString() {
        return spot + against.map(other -> ", to " + other).orElse("");
    }

    /** What it is and what it has to be, for people. */
    String verdict(double value) {
        return "%s %s: %,.5g (expected: %s %,.5g)"
                .formatted(isHeld(value) ? "held  " : "MISSED", this, value, most ? "<=" : ">=", limit);
    }
}

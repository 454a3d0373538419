package io.parley.bench.suite;

import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Calculates ratios of whole runs, for figures without rounds. */
final class RatioCalculator {

    private RatioCalculator() {}

    /**
     * Returns copies of {@code figures} with the ratios to the figures of their comparators that have the same form and
     * size.
     */
    static List<Figure> of(List<Figure> figures, Function<String, List<String>> comparators) {
        return figures.stream()
                .map(figure -> figure.withRatios(ratios(figures, figure, comparators.apply(figure.contender()))))
                .toList();
    }

    private static Map<String, Spread> ratios(List<Figure> figures, Figure figure, List<String> comparators) {
        Map<String, Spread> ratios = new LinkedHashMap<>();
        for (String comparator : comparators) {
            figures.stream()
                    .filter(other -> other.contender().equals(comparator)
                            && !comparator.equals(figure.contender())
                            && other.form().equals(figure.form())
                            && other.bytes() == figure.bytes())
                    .findFirst()
                    .ifPresent(other -> ratios.put(comparator, figure.value().ratioOfMedians(other.value())));
        }
        return ratios;
    }
}

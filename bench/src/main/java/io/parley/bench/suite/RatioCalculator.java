package io.parley.bench.suite;

import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Ratios of whole runs, where there are no rounds to take them of. */
final class RatioCalculator {

    private RatioCalculator() {}

    /** The figures with the ratios to those of the comparators of the same form and size. */
    static List<Figure> of(List<Figure> figures, Function<String, List<String>> comparators) {
        return figures.stream()
                .map(figure -> figure.withRatios(ratios(figures, figure, comparators.apply(figure.contender()))))
                .toList();
    }

    private static Map<String, Spread> ratios(List<Figure> figures, Figure mine, List<String> comparators) {
        Map<String, Spread> ratios = new LinkedHashMap<>();
        for (String comparator : comparators) {
            figures.stream()
                    .filter(other -> other.contender().equals(comparator)
                            && !comparator.equals(mine.contender())
                            && other.form().equals(mine.form())
                            && other.bytes() == mine.bytes())
                    .findFirst()
                    .ifPresent(other -> ratios.put(
                            comparator,
                            Spread.of(List.of(
                                    mine.value().median() / other.value().median()))));
        }
        return ratios;
    }
}

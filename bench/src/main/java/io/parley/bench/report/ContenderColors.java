package io.parley.bench.report;

import io.parley.bench.result.Figure;
import io.parley.bench.result.Results;
import java.util.List;
import java.util.stream.Stream;

/**
 * Assigns each contender one color for the whole page, as CSS classes of {@code report.css} for light and dark mode.
 * The contenders of Parley have separate classes so that they stand out.
 */
final class ContenderColors {

    private static final String PARLEY = "parley";
    private static final int OTHER_COLORS = 10;
    private static final int PARLEY_COLORS = 4;

    private final List<String> others;
    private final List<String> parleyNames;

    ContenderColors(Results results) {
        List<String> names = Stream.concat(
                        results.contenders().stream().map(Results.Entrant::name),
                        results.experiments().stream()
                                .flatMap(experiment -> experiment.figures().stream())
                                .map(Figure::contender))
                .distinct()
                .toList();
        this.others = names.stream().filter(name -> !name.startsWith(PARLEY)).toList();
        this.parleyNames =
                names.stream().filter(name -> name.startsWith(PARLEY)).toList();
    }

    String css(String contender) {
        return contender.startsWith(PARLEY)
                ? "p" + Math.max(0, parleyNames.indexOf(contender)) % PARLEY_COLORS
                : "c" + Math.max(0, others.indexOf(contender)) % OTHER_COLORS;
    }
}

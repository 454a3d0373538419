package io.parley.bench.report;

import io.parley.bench.result.Figure;
import io.parley.bench.result.Results;
import java.util.List;
import java.util.stream.Stream;

/**
 * A colour per contender, the same on the whole page: CSS classes of {@code report.css}, for light and dark. Parley's
 * own have classes of their own, so that they stand out.
 */
final class ContenderColors {

    private static final String OURS = "parley";
    private static final int OTHERS = 7;
    private static final int OURS_COUNT = 4;

    private final List<String> others;
    private final List<String> ours;

    ContenderColors(Results results) {
        List<String> names = Stream.concat(
                        results.contenders().stream().map(Results.Entrant::name),
                        results.experiments().stream()
                                .flatMap(experiment -> experiment.figures().stream())
                                .map(Figure::contender))
                .distinct()
                .toList();
        this.others = names.stream().filter(name -> !name.startsWith(OURS)).toList();
        this.ours = names.stream().filter(name -> name.startsWith(OURS)).toList();
    }

    String css(String contender) {
        return contender.startsWith(OURS)
                ? "p" + Math.max(0, ours.indexOf(contender)) % OURS_COUNT
                : "c" + Math.max(0, others.indexOf(contender)) % OTHERS;
    }
}

package io.parley.bench.report;

import io.parley.bench.result.Results;
import java.util.List;

/** A colour per contender, the same on the whole page. Defined in {@code report.css}, for light and dark. */
final class Colours {

    private static final int COUNT = 10;

    private final List<String> names;

    Colours(Results results) {
        this.names = results.contenders().stream().map(Results.Entrant::name).toList();
    }

    /** Parley's own contenders have their own class, so that they stand out wherever they stand in the list. */
    String css(String contender) {
        int index = Math.max(0, names.indexOf(contender));
        return "c" + index % COUNT;
    }
}

package io.parley.bench.result;

import java.util.List;

/**
 * One question and its figures: one chart and one table of the report.
 *
 * @param suite the suite it belongs to
 * @param id unique in a run
 * @param question the heading
 * @param method how it was measured, in a sentence or two
 * @param value what {@link Figure#value} is, such as "p50"
 * @param unit of values and parts
 * @param better which direction is good
 * @param chart how it is drawn
 */
public record Experiment(
        String suite,
        String id,
        String question,
        String method,
        String value,
        String unit,
        Better better,
        Chart chart,
        List<Figure> figures) {

    /** Which direction is good. */
    public enum Better {
        /** Times, costs. */
        LESS,
        /** Rates. */
        MORE
    }

    /** How figures are drawn. */
    public enum Chart {
        /** A line per contender over message sizes, both axes logarithmic. */
        LINES,
        /** Bars, a panel per message size. */
        BARS,
        /** Bars, a panel per form (benchmark) and message size. */
        BARS_BY_FORM
    }
}

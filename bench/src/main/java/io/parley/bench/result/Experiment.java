package io.parley.bench.result;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The figures of one measured property: one chart and one table of the report.
 *
 * @param suite the suite it belongs to
 * @param id the id, unique in a run
 * @param question the heading
 * @param method the method of measurement, in one or two sentences
 * @param value the meaning of {@link Figure#value}, such as "p50"
 * @param unit the unit of values and parts
 * @param partUnits the units of parts that have another one, by the name of the part
 * @param better whether less or more is better
 * @param chart the kind of chart
 */
public record Experiment(
        String suite,
        String id,
        String question,
        String method,
        String value,
        String unit,
        Map<String, String> partUnits,
        Better better,
        Chart chart,
        List<Figure> figures) {

    /** Creates an experiment whose parts have the unit of the values. */
    public Experiment(
            String suite,
            String id,
            String question,
            String method,
            String value,
            String unit,
            Better better,
            Chart chart,
            List<Figure> figures) {
        this(suite, id, question, method, value, unit, Map.of(), better, chart, figures);
    }

    /**
     * Returns a copy with more figures, sorted by size.
     *
     * @param note a sentence about them, which is added to the method
     */
    public Experiment with(String note, List<Figure> others) {
        List<Figure> all = Stream.concat(figures.stream(), others.stream())
                .sorted(Comparator.comparingInt(Figure::bytes))
                .toList();
        return new Experiment(suite, id, question, method + " " + note, value, unit, partUnits, better, chart, all);
    }

    /** Whether less or more is better. */
    public enum Better {
        /** Less is better: times and costs. */
        LESS,
        /** More is better: rates. */
        MORE
    }

    /** The kind of chart. */
    public enum Chart {
        /** One line per contender over message sizes, both axes logarithmic. */
        LINES,
        /** Bars, one panel per message size. */
        BARS,
        /** Bars, one panel per form (benchmark) and message size. */
        BARS_BY_FORM
    }
}

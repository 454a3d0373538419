package io.parley.bench.report;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.SizeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A line chart with one line per contender over message sizes, both axes logarithmic. The whiskers show the range over
 * the rounds.
 */
final class LineChart {

    private static final double WIDTH = 860;
    private static final double HEIGHT = 420;
    private static final double LEFT = 64;
    private static final double RIGHT = 150;
    private static final double TOP = 16;
    private static final double BOTTOM = 44;
    private static final double LABEL_GAP = 15;
    private static final double MIN_TICK_GAP = 40;
    private static final int MAX_ROUND_AND_OTHER_SIZES = 12;
    private static final double DOT = 3.2;
    private static final double SMALL_DOT = 1.8;
    private static final double MIN_VALUE = 1e-3;

    private final Experiment experiment;
    private final ContenderColors colors;
    private final Map<String, List<Figure>> lines;
    private final List<Integer> sizes;
    private final double low;
    private final double high;

    LineChart(Experiment experiment, ContenderColors colors) {
        this.experiment = experiment;
        this.colors = colors;
        this.lines = experiment.figures().stream()
                .collect(Collectors.groupingBy(Figure::contender, LinkedHashMap::new, Collectors.toList()));
        this.sizes = experiment.figures().stream()
                .map(Figure::bytes)
                .distinct()
                .sorted()
                .toList();
        double min = experiment.figures().stream()
                .mapToDouble(figure -> figure.value().min())
                .min()
                .orElse(1);
        double max = experiment.figures().stream()
                .mapToDouble(figure -> figure.value().max())
                .max()
                .orElse(10);
        this.low = Math.floor(Math.log10(Math.max(min, MIN_VALUE)) * 2) / 2;
        this.high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(max, 1)) * 2) / 2);
    }

    String svg() {
        StringBuilder svg = new StringBuilder();
        svg.append("<svg class=\"chart\" viewBox=\"0 0 %s %s\" role=\"img\" aria-label=\"%s\">"
                .formatted(HtmlText.px(WIDTH), HtmlText.px(HEIGHT), HtmlText.escape(experiment.question())));
        grid(svg);
        lines.forEach((name, figures) -> line(svg, name, figures));
        labels(svg);
        return svg.append("</svg>").toString();
    }

    private void grid(StringBuilder svg) {
        for (int decade = (int) Math.floor(low); decade <= high; decade++) {
            for (int step : new int[] {1, 2, 5}) {
                double value = step * Math.pow(10, decade);
                if (Math.log10(value) >= low - 1e-9 && Math.log10(value) <= high + 1e-9) {
                    svg.append("<line class=\"grid%s\" x1=\"%s\" x2=\"%s\" y1=\"%s\" y2=\"%s\"/>"
                            .formatted(
                                    step == 1 ? " major" : "",
                                    HtmlText.px(LEFT),
                                    HtmlText.px(WIDTH - RIGHT),
                                    HtmlText.px(y(value)),
                                    HtmlText.px(y(value))));
                    svg.append("<text class=\"tick\" x=\"%s\" y=\"%s\" text-anchor=\"end\">%s</text>"
                            .formatted(HtmlText.px(LEFT - 8), HtmlText.px(y(value) + 4), HtmlText.axis(value)));
                }
            }
        }
        for (int bytes : labelled()) {
            svg.append("<text class=\"tick\" x=\"%s\" y=\"%s\" text-anchor=\"middle\">%s</text>"
                    .formatted(HtmlText.px(x(bytes)), HtmlText.px(HEIGHT - BOTTOM + 20), SizeFormatter.text(bytes)));
        }
        svg.append("<text class=\"axis\" x=\"%s\" y=\"%s\" text-anchor=\"middle\">message size</text>"
                .formatted(HtmlText.px((LEFT + WIDTH - RIGHT) / 2), HtmlText.px(HEIGHT - 6)));
        svg.append(
                "<text class=\"axis\" transform=\"translate(14 %s) rotate(-90)\" text-anchor=\"middle\">%s, %s</text>"
                        .formatted(
                                HtmlText.px((TOP + HEIGHT - BOTTOM) / 2),
                                HtmlText.escape(experiment.value()),
                                HtmlText.escape(experiment.unit())));
    }

    /** Returns the sizes with room for their labels: of many, the powers of two. */
    private List<Integer> labelled() {
        List<Integer> labelled = new ArrayList<>();
        double last = Double.NEGATIVE_INFINITY;
        for (int bytes : sizes) {
            boolean isRound = sizes.size() <= MAX_ROUND_AND_OTHER_SIZES || Integer.bitCount(bytes) == 1;
            if (isRound && x(bytes) - last >= MIN_TICK_GAP) {
                labelled.add(bytes);
                last = x(bytes);
            }
        }
        return labelled;
    }

    private void line(StringBuilder svg, String name, List<Figure> figures) {
        String css = colors.css(name);
        String points = figures.stream()
                .map(figure -> HtmlText.px(x(figure.bytes())) + ","
                        + HtmlText.px(y(figure.value().median())))
                .collect(Collectors.joining(" "));
        svg.append("<polyline class=\"line %s\" points=\"%s\"/>".formatted(css, points));
        for (Figure figure : figures) {
            svg.append("<line class=\"whisker %s\" x1=\"%s\" x2=\"%s\" y1=\"%s\" y2=\"%s\"/>"
                    .formatted(
                            css,
                            HtmlText.px(x(figure.bytes())),
                            HtmlText.px(x(figure.bytes())),
                            HtmlText.px(y(figure.value().min())),
                            HtmlText.px(y(figure.value().max()))));
            svg.append("<circle class=\"dot %s\" cx=\"%s\" cy=\"%s\" r=\"%s\"><title>%s</title></circle>"
                    .formatted(
                            css,
                            HtmlText.px(x(figure.bytes())),
                            HtmlText.px(y(figure.value().median())),
                            HtmlText.px(sizes.size() <= MAX_ROUND_AND_OTHER_SIZES ? DOT : SMALL_DOT),
                            HtmlText.escape("%s, %s: %s %s"
                                    .formatted(
                                            name,
                                            SizeFormatter.text(figure.bytes()),
                                            HtmlText.number(figure.value().median()),
                                            experiment.unit()))));
        }
    }

    /** Draws the names at the right ends of the lines, and moves them apart where lines end close together. */
    private void labels(StringBuilder svg) {
        TreeMap<Double, String> ends = new TreeMap<>();
        lines.forEach((name, figures) -> {
            double end = y(figures.get(figures.size() - 1).value().median());
            while (ends.containsKey(end)) {
                end += 0.01;
            }
            ends.put(end, name);
        });
        double lowest = TOP;
        double height = HEIGHT - BOTTOM - TOP;
        double needed = ends.size() * LABEL_GAP;
        for (Map.Entry<Double, String> end : ends.entrySet()) {
            double latest = TOP + height - needed + LABEL_GAP / 2;
            double at = Math.max(lowest, Math.min(end.getKey(), latest));
            needed -= LABEL_GAP;
            lowest = at + LABEL_GAP;
            svg.append("<text class=\"name %s\" x=\"%s\" y=\"%s\">%s</text>"
                    .formatted(
                            colors.css(end.getValue()),
                            HtmlText.px(WIDTH - RIGHT + 12),
                            HtmlText.px(at + 4),
                            HtmlText.escape(end.getValue())));
        }
    }

    private double x(int bytes) {
        double first = log2(sizes.get(0));
        double last = log2(sizes.get(sizes.size() - 1));
        double share = last > first ? (log2(bytes) - first) / (last - first) : 0.5;
        return LEFT + 18 + share * (WIDTH - LEFT - RIGHT - 36);
    }

    private double y(double value) {
        double share = (Math.log10(Math.max(value, MIN_VALUE)) - low) / (high - low);
        return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP);
    }

    private static double log2(int bytes) {
        return Math.log(bytes) / Math.log(2);
    }
}

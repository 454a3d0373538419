package io.parley.bench.report;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.SizeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A bar chart with one panel per message size and one bar per contender. The axis starts at zero; the whiskers show the
 * range over the rounds.
 */
final class BarChart {

    private static final double WIDTH = 860;
    private static final double NAMES = 150;
    private static final double VALUES = 130;
    private static final double BAR = 18;
    private static final double STEP = 26;
    private static final double HEAD = 30;
    private static final double GAP = 14;

    private final Experiment experiment;
    private final ContenderColors colors;

    BarChart(Experiment experiment, ContenderColors colors) {
        this.experiment = experiment;
        this.colors = colors;
    }

    String svg() {
        Map<String, List<Figure>> panels = experiment.figures().stream()
                .collect(Collectors.groupingBy(this::panelTitle, LinkedHashMap::new, Collectors.toList()));
        StringBuilder body = new StringBuilder();
        double y = 0;
        for (Map.Entry<String, List<Figure>> panel : panels.entrySet()) {
            y = panel(body, y, panel.getKey(), panel.getValue()) + GAP;
        }
        return "<svg class=\"chart\" viewBox=\"0 0 %s %s\" role=\"img\" aria-label=\"%s\">%s</svg>"
                .formatted(
                        HtmlText.px(WIDTH),
                        HtmlText.px(Math.max(0, y - GAP)),
                        HtmlText.escape(experiment.question()),
                        body);
    }

    private String panelTitle(Figure figure) {
        String size = figure.bytes() == 0 ? "" : SizeFormatter.text(figure.bytes());
        return experiment.chart() == Experiment.Chart.BARS ? size : (figure.form() + " " + size).strip();
    }

    private double panel(StringBuilder svg, double top, String title, List<Figure> figures) {
        double maxValue = figures.stream()
                .mapToDouble(figure -> figure.value().max())
                .max()
                .orElse(1);
        svg.append("<text class=\"panel\" x=\"0\" y=\"%s\">%s <tspan class=\"tick\">%s</tspan></text>"
                .formatted(HtmlText.px(top + 18), HtmlText.escape(title), HtmlText.escape(experiment.unit())));
        double y = top + HEAD;
        for (Figure figure : figures) {
            bar(svg, y, figure, maxValue <= 0 ? 1 : maxValue);
            y += STEP;
        }
        return y;
    }

    private void bar(StringBuilder svg, double y, Figure figure, double maxValue) {
        String css = colors.css(figure.contender());
        double median = length(figure.value().median(), maxValue);
        double min = length(figure.value().min(), maxValue);
        double max = length(figure.value().max(), maxValue);
        double middle = y + BAR / 2;
        svg.append("<text class=\"name %s\" x=\"%s\" y=\"%s\" text-anchor=\"end\">%s</text>"
                .formatted(css, HtmlText.px(NAMES - 10), HtmlText.px(middle + 4), HtmlText.escape(figure.contender())));
        svg.append("<rect class=\"bar %s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"2\"/>"
                .formatted(
                        css, HtmlText.px(NAMES), HtmlText.px(y), HtmlText.px(Math.max(1, median)), HtmlText.px(BAR)));
        if (max - min > 1) {
            svg.append("<path class=\"range\" d=\"M%1$s %3$s H%2$s M%1$s %4$s V%5$s M%2$s %4$s V%5$s\"/>"
                    .formatted(
                            HtmlText.px(NAMES + min),
                            HtmlText.px(NAMES + max),
                            HtmlText.px(middle),
                            HtmlText.px(middle - 4),
                            HtmlText.px(middle + 4)));
        }
        svg.append("<text class=\"value\" x=\"%s\" y=\"%s\">%s</text>"
                .formatted(
                        HtmlText.px(NAMES + Math.max(max, median) + 8),
                        HtmlText.px(middle + 4),
                        HtmlText.number(figure.value().median())));
    }

    private static double length(double value, double maxValue) {
        return Math.max(0, value) / maxValue * (WIDTH - NAMES - VALUES);
    }
}

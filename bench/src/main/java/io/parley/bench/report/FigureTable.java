package io.parley.bench.report;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.SizeFormatter;
import io.parley.bench.result.Spread;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A table of all figures of an experiment: one row per figure, grouped by message size. */
final class FigureTable {

    private final Experiment experiment;
    private final ContenderColors colors;
    private final List<String> parts;
    private final boolean forms;
    private final boolean cpuRatios;
    private final boolean intervals;

    FigureTable(Experiment experiment, ContenderColors colors) {
        this.experiment = experiment;
        this.colors = colors;
        this.parts = experiment.figures().stream()
                .map(Figure::parts)
                .map(Map::keySet)
                .flatMap(Collection::stream)
                .distinct()
                .filter(part -> !part.equals(experiment.value()))
                .toList();
        this.forms =
                experiment.figures().stream().anyMatch(figure -> !figure.form().isEmpty());
        this.cpuRatios = experiment.figures().stream()
                .anyMatch(figure -> !figure.cpuRatios().isEmpty());
        this.intervals =
                experiment.figures().stream().anyMatch(figure -> figure.value().interval() != null);
    }

    String html() {
        StringBuilder html = new StringBuilder("<div class=\"scroll\"><table><thead><tr>");
        for (String head : heads()) {
            html.append("<th>").append(HtmlText.escape(head)).append("</th>");
        }
        html.append("</tr></thead><tbody>");
        int bytes = -1;
        for (Figure figure : experiment.figures()) {
            html.append(figure.bytes() == bytes ? "<tr>" : "<tr class=\"first\">");
            row(html, figure, figure.bytes() == bytes);
            bytes = figure.bytes();
        }
        return html.append("</tbody></table></div>").toString();
    }

    private List<String> heads() {
        List<String> heads = new ArrayList<>(List.of("size", "contender"));
        if (forms) {
            heads.add("form");
        }
        heads.add(experiment.value() + ", " + experiment.unit());
        heads.add("range");
        if (intervals) {
            heads.add("95 % interval");
        }
        heads.add("ratio (range; 95 % interval)");
        if (cpuRatios) {
            heads.add("cpu ratio (range; 95 % interval)");
        }
        for (String part : parts) {
            String unit = experiment.partUnits().get(part);
            heads.add(unit == null ? part : part + ", " + unit);
        }
        heads.add("samples");
        return heads;
    }

    private void row(StringBuilder html, Figure figure, boolean sameSize) {
        cell(html, sameSize || figure.bytes() == 0 ? "" : SizeFormatter.text(figure.bytes()), "size");
        html.append("<td><span class=\"key %s\"></span>%s</td>"
                .formatted(colors.css(figure.contender()), HtmlText.escape(figure.contender())));
        if (forms) {
            cell(html, figure.form(), "");
        }
        cell(html, HtmlText.number(figure.value().median()), "number strong");
        cell(html, range(figure.value()), "number faint");
        if (intervals) {
            cell(html, interval(figure.value()), "number faint");
        }
        ratios(html, figure.ratios());
        if (cpuRatios) {
            ratios(html, figure.cpuRatios());
        }
        for (String part : parts) {
            Spread value = figure.parts().get(part);
            cell(html, value == null ? "" : HtmlText.number(value.median()), "number");
        }
        cell(html, HtmlText.number((double) figure.samples()), "number faint");
        html.append("</tr>");
    }

    private static void ratios(StringBuilder html, Map<String, Spread> ratios) {
        html.append("<td class=\"ratios\">")
                .append(ratios.entrySet().stream()
                        .map(ratio -> ratio(ratio.getKey(), ratio.getValue()))
                        .collect(Collectors.joining("<br>")))
                .append("</td>");
    }

    private static String ratio(String comparator, Spread ratio) {
        String interval = interval(ratio);
        return "<span class=\"nowrap\">%s× %s <span class=\"faint\">(%s%s)</span></span>"
                .formatted(
                        HtmlText.number(ratio.median()),
                        HtmlText.escape(comparator),
                        range(ratio),
                        interval.isEmpty() ? "" : "; " + interval);
    }

    private static String interval(Spread spread) {
        Spread.Interval interval = spread.interval();
        return interval == null ? "" : range(interval.low(), interval.high());
    }

    private static String range(Spread spread) {
        return range(spread.min(), spread.max());
    }

    private static String range(double low, double high) {
        return HtmlText.number(low) + "–" + HtmlText.number(high);
    }

    private static void cell(StringBuilder html, String text, String css) {
        html.append("<td class=\"%s\">%s</td>".formatted(css, HtmlText.escape(text)));
    }
}

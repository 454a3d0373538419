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
        heads.add("ratio (range)");
        heads.addAll(parts);
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
        html.append("<td class=\"ratios\">")
                .append(figure.ratios().entrySet().stream()
                        .map(ratio -> "<span class=\"nowrap\">%s× %s <span class=\"faint\">(%s)</span></span>"
                                .formatted(
                                        HtmlText.number(ratio.getValue().median()),
                                        HtmlText.escape(ratio.getKey()),
                                        range(ratio.getValue())))
                        .collect(Collectors.joining("<br>")))
                .append("</td>");
        for (String part : parts) {
            Spread value = figure.parts().get(part);
            cell(html, value == null ? "" : HtmlText.number(value.median()), "number");
        }
        cell(html, HtmlText.number((double) figure.samples()), "number faint");
        html.append("</tr>");
    }

    private static String range(Spread spread) {
        return HtmlText.number(spread.min()) + "–" + HtmlText.number(spread.max());
    }

    private static void cell(StringBuilder html, String text, String css) {
        html.append("<td class=\"%s\">%s</td>".formatted(css, HtmlText.escape(text)));
    }
}

package io.parley.bench.report;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.Machine;
import io.parley.bench.result.Results;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Generates the HTML report of a run. */
public final class HtmlReport {

    private static final String STYLE = "report.css";

    private final Results results;
    private final ContenderColors colors;
    private final StringBuilder html = new StringBuilder();

    private HtmlReport(Results results) {
        this.results = results;
        this.colors = new ContenderColors(results);
    }

    /** Returns a complete HTML document. */
    public static String of(Results results) {
        return new HtmlReport(results).page();
    }

    private String page() {
        html.append("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
                .append("<title>Parley benchmarks</title><style>")
                .append(style())
                .append("</style></head><body><main>");
        head();
        contenders();
        results.experiments().forEach(this::experiment);
        failures();
        machine();
        return html.append("</main></body></html>").toString();
    }

    private void head() {
        html.append("<h1>Parley benchmarks</h1>");
        html.append("<p class=\"lead\">%s, a %s run of %s, %d rounds. %s, %d CPUs, %s.</p>"
                .formatted(
                        results.started().replace('T', ' ').replace("Z", " UTC"),
                        HtmlText.escape(results.budget()),
                        duration(results.seconds()),
                        results.rounds(),
                        HtmlText.escape(results.machine().jvm()),
                        results.machine().cpus(),
                        HtmlText.escape(results.machine().kernel())));
        html.append("<p>Both processes of a measurement ran on this machine, connected over loopback. Placement: ")
                .append(HtmlText.escape(results.machine().placement().description()));
        html.append(". Absolute figures are valid only for this machine and this run. Compare contenders of"
                + " this page by their ratios. A ratio is calculated round by round; if its 95 % interval includes 1,"
                + " the difference is not significant. The interval is that of the median, by order statistics.</p>");
        if (!results.budget().equals("full")) {
            html.append("<p class=\"note\">A ").append(HtmlText.escape(results.budget()));
            html.append(" run has short turns and few rounds. Do not publish its figures.</p>");
        }
    }

    private void contenders() {
        html.append("<h2>Contenders</h2><div class=\"scroll\"><table class=\"words\"><tbody>");
        for (Results.Entrant entrant : results.contenders()) {
            html.append(
                    "<tr><td class=\"nowrap\"><span class=\"key %s\"></span>%s</td><td>%s</td><td class=\"faint\">%s</td></tr>"
                            .formatted(
                                    colors.css(entrant.name()),
                                    HtmlText.escape(entrant.name()),
                                    HtmlText.escape(entrant.description()),
                                    HtmlText.escape(entrant.details())));
        }
        html.append("</tbody></table></div>");
    }

    private void experiment(Experiment experiment) {
        html.append("<section id=\"%s\"><h2>%s</h2><p>%s <span class=\"better\">%s is better.</span></p>"
                .formatted(
                        experiment.id(),
                        HtmlText.escape(experiment.question()),
                        HtmlText.escape(experiment.method()),
                        experiment.better() == Experiment.Better.LESS ? "Less" : "More"));
        if (experiment.figures().isEmpty()) {
            html.append("<p class=\"note\">No figures.</p></section>");
            return;
        }
        html.append("<figure>")
                .append(
                        experiment.chart() == Experiment.Chart.LINES
                                ? new LineChart(experiment, colors).svg()
                                : new BarChart(experiment, colors).svg())
                .append("</figure><details><summary>All figures</summary>")
                .append(new FigureTable(experiment, colors).html())
                .append("</details></section>");
    }

    private void failures() {
        if (!results.failures().isEmpty()) {
            html.append("<h2>Failures</h2><ul>");
            results.failures()
                    .forEach(line ->
                            html.append("<li>").append(HtmlText.escape(line)).append("</li>"));
            html.append("</ul>");
        }
    }

    private void machine() {
        Machine machine = results.machine();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("CPU", machine.cpus() + " × " + machine.cpu());
        facts.put("Kernel", machine.kernel());
        facts.put("JVM", machine.jvm());
        facts.put("TCP congestion control", machine.tcpCongestionControl());
        facts.put("Netty transport", machine.nettyTransport());
        facts.put("TLS engine", machine.tlsEngine());
        facts.put("Placement", machine.placement().description());
        facts.put("Load average before the run", HtmlText.number(machine.loadAverage()));
        html.append("<h2>Machine</h2><table class=\"words\"><tbody>");
        facts.forEach((name, value) -> html.append("<tr><td class=\"nowrap\">%s</td><td>%s</td></tr>"
                .formatted(HtmlText.escape(name), HtmlText.escape(value))));
        html.append("</tbody></table>");
    }

    private static String duration(double seconds) {
        return seconds < 90
                ? String.format(Locale.ROOT, "%.0f s", seconds)
                : String.format(Locale.ROOT, "%.1f min", seconds / 60);
    }

    private static String style() {
        try (InputStream in = HtmlReport.class.getResourceAsStream(STYLE)) {
            if (in == null) {
                throw new IllegalStateException("class path: " + STYLE + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException("Cannot read " + STYLE, failed);
        }
    }
}

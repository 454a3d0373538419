package io.parley.bench.suite;

import io.parley.bench.document.DocumentParser;
import io.parley.bench.document.DocumentWriter;
import io.parley.bench.document.EmployeeDocument;
import io.parley.bench.jmh.CodecBenchmark;
import io.parley.bench.jmh.ParseBenchmark;
import io.parley.bench.jmh.WriteBenchmark;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.workload.Workload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;

/** Measures message formats, and the libraries that parse and write XML, in one JVM at a time. */
final class CodecSuite implements Suite {

    private static final String PER_MESSAGE =
            "JMH. A sequence of different messages is processed repeatedly, each time with new sessions. The figure is"
                    + " the median, with the range over the iterations. Each codec ran in a JVM of its own, one after the"
                    + " other. ";
    private static final String PER_DOCUMENT =
            "JMH. One document is processed repeatedly. The figure is the median, with the range over the"
                    + " iterations. Every name and text is read. ";
    private static final List<String> FORMATS_TO_COMPARE = List.of("xml", "xml-aalto", "xml-woodstox", "binary");
    private static final JmhRunner.ParameterNames MESSAGES = new JmhRunner.ParameterNames("codec", "composition");
    private static final JmhRunner.ParameterNames PARSERS = new JmhRunner.ParameterNames("parser", "document");
    private static final JmhRunner.ParameterNames WRITERS = new JmhRunner.ParameterNames("writer", "document");
    private static final List<String> QUICK_COMPOSITIONS = List.of("small-xml", "binary-64k", "employees-100");
    private static final List<String> TINY_COMPOSITIONS = List.of("small-xml");
    private static final List<String> QUICK_DOCUMENTS = List.of("employees-100");
    private static final List<String> TINY_DOCUMENTS = List.of("employees-1");

    @Override
    public String name() {
        return "codecs";
    }

    @Override
    public String description() {
        return "Size and processing time of messages in each format, and of documents in XML and Fast Infoset.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(
                Paper.SUBSTRATE.experiment("Fast Infoset"),
                Paper.COMPRESSION.experiment("tables 2 to 4: the documents"));
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        List<String> compositions = chosen(
                context.budget(),
                Workload.all().stream().map(Workload::name).toList(),
                QUICK_COMPOSITIONS,
                TINY_COMPOSITIONS);
        List<String> documents = chosen(context.budget(), EmployeeDocument.names(), QUICK_DOCUMENTS, TINY_DOCUMENTS);
        List<Experiment> experiments = new ArrayList<>();
        context.progress("sizes of messages and documents");
        experiments.add(CodecSizes.ofMessages(name(), compositions));
        experiments.add(CodecSizes.ofDocuments(name(), documents));
        messages(context, compositions, experiments);
        parsers(context, documents, experiments);
        writers(context, documents, experiments);
        return experiments;
    }

    private static List<String> chosen(TimeBudget budget, List<String> all, List<String> quick, List<String> tiny) {
        return budget.isFull() ? all : budget.isTiny() ? tiny : quick;
    }

    private void messages(SuiteContext context, List<String> compositions, List<Experiment> experiments)
            throws IOException {
        for (String method : List.of("encode", "decode")) {
            JmhRunner run = JmhRunner.of(
                    context,
                    name(),
                    CodecBenchmark.class,
                    method,
                    options -> narrow(options, "composition", compositions));
            experiments.add(experiment(
                    "codec-" + method + "-time",
                    "Messages: time to " + method,
                    PER_MESSAGE,
                    run.unit(),
                    ratios(run.times(MESSAGES), FORMATS_TO_COMPARE, compositions)));
            experiments.add(experiment(
                    "codec-" + method + "-allocation",
                    "Messages: heap bytes to " + method,
                    PER_MESSAGE,
                    "B/op",
                    ratios(run.allocations(MESSAGES), FORMATS_TO_COMPARE, compositions)));
        }
    }

    private void parsers(SuiteContext context, List<String> documents, List<Experiment> experiments)
            throws IOException {
        JmhRunner run = JmhRunner.of(
                context, name(), ParseBenchmark.class, "parse", options -> narrow(options, "document", documents));
        experiments.add(experiment(
                "document-parse-time",
                "Documents: time to parse",
                PER_DOCUMENT + "Only libraries, no messages: Fast Infoset and parsers of the same document as text.",
                run.unit(),
                ratios(run.times(PARSERS), DocumentParser.ofText(), documents)));
    }

    private void writers(SuiteContext context, List<String> documents, List<Experiment> experiments)
            throws IOException {
        JmhRunner run = JmhRunner.of(
                context, name(), WriteBenchmark.class, "write", options -> narrow(options, "document", documents));
        experiments.add(experiment(
                "document-write-time",
                "Documents: time to write",
                PER_DOCUMENT + "Each library receives the same StAX calls.",
                run.unit(),
                ratios(
                        run.times(WRITERS),
                        List.of(DocumentWriter.WOODSTOX.label(), DocumentWriter.AALTO.label()),
                        documents)));
    }

    private static void narrow(ChainedOptionsBuilder options, String parameter, List<String> values) {
        options.param(parameter, values.toArray(String[]::new));
    }

    /**
     * Adds ratios and sorts the figures by form, because JMH sorts by parameter and the report compares figures of the
     * same form.
     */
    private static List<Figure> ratios(List<Figure> figures, List<String> comparators, List<String> forms) {
        return RatioCalculator.of(figures, unused -> comparators).stream()
                .sorted(Comparator.comparingInt(figure -> forms.indexOf(figure.form())))
                .toList();
    }

    private Experiment experiment(String id, String title, String method, String unit, List<Figure> figures) {
        return new Experiment(
                name(),
                id,
                title,
                method.strip(),
                "median",
                unit,
                Experiment.Better.LESS,
                Experiment.Chart.BARS_BY_FORM,
                figures);
    }
}

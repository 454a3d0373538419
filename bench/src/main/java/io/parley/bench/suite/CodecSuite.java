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

/** The formats of messages, and the libraries that parse and write XML, in one JVM at a time. */
final class CodecSuite implements Suite {

    private static final String PER_MESSAGE =
            "JMH. A conversation of messages that differ, one after the other, and then again with new sessions. Shown is"
                    + " the mean, with the range over the iterations; each codec ran in a JVM of its own, one after the"
                    + " other. ";
    private static final String PER_DOCUMENT =
            "JMH, one document over and over. Shown is the mean, with the range over the"
                    + " iterations. Every name and text is looked at. ";
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
    public String sentence() {
        return "How many bytes and how much time messages take in each format, and documents in XML and Fast Infoset.";
    }

    @Override
    public List<Experiment> run(SuiteContext session) throws Exception {
        List<String> compositions = chosen(
                session.budget(),
                Workload.all().stream().map(Workload::name).toList(),
                QUICK_COMPOSITIONS,
                TINY_COMPOSITIONS);
        List<String> documents = chosen(session.budget(), EmployeeDocument.names(), QUICK_DOCUMENTS, TINY_DOCUMENTS);
        List<Experiment> experiments = new ArrayList<>();
        session.progress("sizes of messages and documents");
        experiments.add(CodecSizes.ofMessages(name(), compositions));
        experiments.add(CodecSizes.ofDocuments(name(), documents));
        messages(session, compositions, experiments);
        parsers(session, documents, experiments);
        writers(session, documents, experiments);
        return experiments;
    }

    private static List<String> chosen(TimeBudget budget, List<String> all, List<String> quick, List<String> tiny) {
        return budget.isFull() ? all : budget.isTiny() ? tiny : quick;
    }

    private void messages(SuiteContext session, List<String> compositions, List<Experiment> experiments)
            throws IOException {
        for (String method : List.of("encode", "decode")) {
            JmhRunner run = JmhRunner.of(
                    session,
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

    private void parsers(SuiteContext session, List<String> documents, List<Experiment> experiments)
            throws IOException {
        JmhRunner run = JmhRunner.of(
                session, name(), ParseBenchmark.class, "parse", options -> narrow(options, "document", documents));
        experiments.add(experiment(
                "document-parse-time",
                "Documents: time to parse",
                PER_DOCUMENT
                        + "Libraries alone, no messages: Fast Infoset beside parsers of the same document as text.",
                run.unit(),
                ratios(run.times(PARSERS), DocumentParser.ofText(), documents)));
    }

    private void writers(SuiteContext session, List<String> documents, List<Experiment> experiments)
            throws IOException {
        JmhRunner run = JmhRunner.of(
                session, name(), WriteBenchmark.class, "write", options -> narrow(options, "document", documents));
        experiments.add(experiment(
                "document-write-time",
                "Documents: time to write",
                PER_DOCUMENT + "The same calls of StAX to each library.",
                run.unit(),
                ratios(
                        run.times(WRITERS),
                        List.of(DocumentWriter.WOODSTOX.label(), DocumentWriter.AALTO.label()),
                        documents)));
    }

    private static void narrow(ChainedOptionsBuilder options, String parameter, List<String> values) {
        options.param(parameter, values.toArray(String[]::new));
    }

    /** JMH's order is by parameter; the report's is by form, so that what is compared stands together. */
    private static List<Figure> ratios(List<Figure> figures, List<String> comparators, List<String> forms) {
        return RatioCalculator.of(figures, unused -> comparators).stream()
                .sorted(Comparator.comparingInt(figure -> forms.indexOf(figure.form())))
                .toList();
    }

    private Experiment experiment(String id, String question, String method, String unit, List<Figure> figures) {
        return new Experiment(
                name(),
                id,
                question,
                method.strip(),
                "mean",
                unit,
                Experiment.Better.LESS,
                Experiment.Chart.BARS_BY_FORM,
                figures);
    }
}

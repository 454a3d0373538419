package io.parley.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.operation.Operation;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Results;
import io.parley.bench.result.ResultsJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the real suites with the smallest time budget. */
final class RunCommandTest {

    private static final List<String> SUITES = List.of("rtt", "rate", "allocation", "wire-bytes");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder = Path.of("");

    @Test
    void list_namesEverySuiteAndContender() {
        assertThat(run("list")).as(err::toString).isZero();

        assertThat(out.toString())
                .contains("rtt", "rate", "throughput", "allocation", "wire-bytes", "codec-wire", "codecs", "jmh")
                .contains("peer-operations", "boot", "rendezvous")
                .contains("sockets", "netty", "netty-tls", "jxta-endpoint", "jxta-pipe");
    }

    @Test
    void run_unknownSuite_listsTheSuites() {
        assertThat(run("run", "speed")).isEqualTo(CommandLine.ExitCode.USAGE);

        assertThat(err.toString()).contains("suite: speed (expected: all or one of [rtt,");
    }

    @Test
    void run_socketsAndNetty_writesAFigureForEachAndTheirRatios() throws IOException {
        Results results = measure("sockets,netty", SUITES);

        assertThat(results.contenders()).extracting(Results.Entrant::name).containsExactly("sockets", "netty");
        assertThat(results.experiments())
                .extracting(Experiment::id)
                .containsExactly(
                        "rtt-event",
                        "rtt-caller",
                        "rate",
                        "allocation-round-trip",
                        "allocation-one-way",
                        "wire-overhead",
                        "wire-set-up");
        assertThat(results.experiments()).allSatisfy(experiment -> {
            assertThat(experiment.figures()).extracting(Figure::contender).contains("sockets", "netty");
            assertThat(experiment.figures())
                    .filteredOn(figure -> figure.contender().equals("netty"))
                    .allSatisfy(figure -> assertThat(figure.ratios()).containsOnlyKeys("sockets"));
        });
        String report = Files.readString(folder.resolve("report.html"));
        assertThat(report).startsWith("<!doctype html>").endsWith("</html>").contains("<svg", "netty");
        assertThat(report).doesNotContain("http://", "https://", "<script");
    }

    @Test
    void run_nettyOverTls_hasFigures() throws IOException {
        Results results = measure("netty-tls", List.of("rtt"));

        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures()).isNotEmpty());
        assertThat(results.machine().tlsEngine()).isNotBlank();
    }

    @Test
    void run_wireOverhead_isTheLengthPrefix() throws IOException {
        Results results = measure("sockets", List.of("wire-bytes"));

        assertThat(results.experiments())
                .filteredOn(experiment -> experiment.id().equals("wire-overhead"))
                .flatExtracting(Experiment::figures)
                .allSatisfy(figure -> assertThat(figure.value().median()).isEqualTo(Integer.BYTES));
    }

    @Test
    void run_codecs_hasSizesAndTimesBesideTextAndBinary() throws IOException {
        Results results = measure("parley-pipe", List.of("codecs"));

        assertThat(results.experiments())
                .extracting(Experiment::id)
                .containsExactly(
                        "codec-size",
                        "document-size",
                        "codec-encode-time",
                        "codec-encode-allocation",
                        "codec-decode-time",
                        "codec-decode-allocation",
                        "document-parse-time",
                        "document-write-time");
        assertThat(results.experiments())
                .filteredOn(experiment -> experiment.id().startsWith("codec-"))
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .filteredOn(figure -> figure.contender().equals("fastinfoset-retained"))
                        .isNotEmpty()
                        .allSatisfy(figure -> assertThat(figure.ratios()).containsKeys("xml", "binary")));
        assertThat(Files.readString(folder.resolve("report.html"))).contains("small-xml", "fastinfoset-fresh");
    }

    @Test
    @Tag("slow")
    void run_formatsEndToEnd_areComparedWithTheBinaryOne() throws IOException {
        Results results = measure("parley-pipe,parley-pipe-fastinfoset", List.of("codec-wire"));

        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .filteredOn(figure -> figure.contender().equals("parley-pipe-fastinfoset"))
                        .isNotEmpty()
                        .allSatisfy(figure -> assertThat(figure.ratios()).containsOnlyKeys("parley-pipe")));
    }

    @Test
    void run_operations_areMeasuredColdAndWarmWithDelay() throws IOException {
        Results results = measure("parley-pipe-tls", List.of("peer-operations"));

        assertThat(results.experiments())
                .extracting(Experiment::id)
                .containsExactly("operations-far-rendezvous", "to-first-message");
        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .extracting(Figure::contender)
                        .contains("parley, cold", "parley, warm"));
        assertThat(results.experiments().get(0).figures())
                .filteredOn(figure -> figure.contender().equals("parley, warm"))
                .extracting(Figure::form)
                .containsExactly(labels());
        assertThat(results.experiments().get(0).figures())
                .filteredOn(figure -> figure.form().equals(Operation.JOIN_GROUP.label())
                        && figure.contender().startsWith("parley"))
                .as("the rendezvous is 67 ms away")
                .allSatisfy(figure -> assertThat(figure.value().min()).isGreaterThanOrEqualTo(67));
    }

    private static String[] labels() {
        return Stream.concat(
                        Stream.of(Operation.values()).map(Operation::label),
                        Stream.of("start to first message", "all ten"))
                .toArray(String[]::new);
    }

    @Test
    void run_boot_comparesFullHomesWithAnEmptyOne() throws IOException {
        Results results = measure("parley-pipe", List.of("boot"));

        assertThat(results.experiments()).extracting(Experiment::id).containsExactly("boot-time", "boot-look-up");
        assertThat(results.experiments().get(0).figures())
                .filteredOn(figure -> figure.contender().equals("parley, 100"))
                .allSatisfy(figure -> assertThat(figure.ratios()).containsOnlyKeys("parley, none"))
                .extracting(Figure::form)
                .containsExactly("until it has started", "until its store has answered");
    }

    @Test
    void run_rendezvous_countsQueriesAndPublications() throws IOException {
        Results results = measure("parley-pipe", List.of("rendezvous"));

        assertThat(results.experiments())
                .extracting(Experiment::id)
                .containsExactly("rendezvous-finds", "rendezvous-publications");
        assertThat(results.experiments())
                .flatExtracting(Experiment::figures)
                .hasSize(2)
                .allSatisfy(figure -> assertThat(figure.samples()).isPositive());
    }

    @Test
    @Tag("slow")
    void run_operationsOfJxta_areComparedWithParley() throws IOException {
        Results results = measure("parley-pipe-tls,jxta-pipe", List.of("peer-operations"));

        assertThat(results.experiments().get(0).figures())
                .filteredOn(figure -> figure.contender().equals("parley, cold"))
                .allSatisfy(figure -> assertThat(figure.ratios())
                        .containsKey("jxta-2.5, cold")
                        .doesNotContainKey("jxta-2.5, warm"));
        assertThat(results.experiments().get(0).figures())
                .filteredOn(figure -> figure.contender().equals("parley, warm"))
                .allSatisfy(figure -> assertThat(figure.ratios())
                        .containsKey("jxta-2.5, warm")
                        .doesNotContainKey("jxta-2.5, cold"));
    }

    @Test
    @Tag("slow")
    void run_jxta_takesPartInEverything() throws IOException {
        Results results = measure("jxta-endpoint,jxta-pipe", SUITES);

        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .extracting(Figure::contender)
                        .contains("jxta-endpoint", "jxta-pipe"));
    }

    private Results measure(String contenders, List<String> suites) throws IOException {
        List<String> args = new ArrayList<>(List.of("run"));
        args.addAll(suites);
        args.addAll(List.of("--tiny", "--out", folder.toString(), "--contender", contenders));
        assertThat(run(args.toArray(String[]::new))).as(this::output).isZero();
        Results results = ResultsJson.read(Files.readString(folder.resolve("results.json")));
        assertThat(results.failures()).isEmpty();
        return results;
    }

    private String output() {
        return out.toString() + err;
    }

    private int run(String... args) {
        return BenchMain.commandLine().setOut(printer(out)).setErr(printer(err)).execute(args);
    }

    private static PrintWriter printer(Writer writer) {
        return new PrintWriter(writer, true);
    }
}

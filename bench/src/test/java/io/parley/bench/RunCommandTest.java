package io.parley.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.parley.bench.operation.Operation;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Results;
import io.parley.bench.result.ResultsJson;
import io.parley.bench.worker.CpuPinner;
import io.parley.bench.worker.Placement;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the real suites with the smallest time budget. */
final class RunCommandTest {

    private static final String SPINS =
            Runtime.getRuntime().availableProcessors() > 1 ? "spins before it sleeps" : "sleeps at once";
    private static final List<String> SUITES = List.of("rtt", "allocation", "wire-bytes");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder = Path.of("");

    @AfterEach
    void resetPlacement() {
        CpuPinner.place(Placement.ANY); // the placement is one for the process
    }

    @Test
    void list_namesEverySuiteAndContender() {
        assertThat(run("list")).as(err::toString).isZero();

        assertThat(out.toString())
                .contains("rtt", "rate", "throughput", "allocation", "wire-bytes", "codec-wire", "codecs", "jmh")
                .contains("peer-operations", "boot", "rendezvous", "density")
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
        assertThat(report).contains("cpu, µs per round trip");
        assertThat(report).doesNotContain("http://", "https://", "<script");
        assertThat(results.machine().placement()).isEqualTo(Placement.ANY);
        assertThat(figures(results, "wire-overhead", "sockets"))
                .as("the length prefix")
                .allSatisfy(figure -> assertThat(figure.value().median()).isEqualTo(Integer.BYTES));
    }

    private static List<Figure> figures(Results results, String experiment, String contender) {
        return results.experiments().stream()
                .filter(candidate -> candidate.id().equals(experiment))
                .flatMap(candidate -> candidate.figures().stream())
                .filter(figure -> figure.contender().equals(contender))
                .toList();
    }

    @Test
    @Tag("slow")
    void run_roundTripsAndFloods_haveTheProcessorTimeOfBothSides() throws IOException {
        Results results = measure("sockets", List.of("rtt", "rate", "throughput"));

        assertThat(results.experiments())
                .hasSize(4)
                .flatExtracting(Experiment::figures)
                .allSatisfy(figure -> {
                    assertThat(figure.parts()).containsKeys("cpu", "cpu, connecting side", "cpu, serving side");
                    assertThat(figure.parts().get("cpu").min()).isNotNegative();
                });
    }

    @Test
    void run_constantRate_hasLatenciesAndUtilization_withAndWithoutTheSpin() throws IOException {
        Results results = measure("netty-tls-spin,parley-pipe-no-spin", List.of("paced"));

        assertThat(details(results, "netty-tls-spin")).contains(SPINS);
        assertThat(details(results, "parley-pipe-no-spin")).isEqualTo("sleeps at once");
        assertThat(results.machine().tlsEngine()).isNotBlank();
        assertThat(results.experiments().get(0).figures()).hasSize(2).allSatisfy(figure -> {
            assertThat(figure.form()).isEqualTo("10,000/s");
            assertThat(figure.value().min()).isPositive();
            assertThat(figure.parts())
                    .containsKeys("p99.9", "sender woke late, p50", "sent", "cpu", "busy, serving side");
        });
    }

    @Test
    void run_connectionsAndFirstSecond_compareThePipeWithNetty() throws IOException {
        Results results = measure("netty-arrays,parley-pipe", List.of("connections", "first-second"));

        assertThat(results.experiments())
                .extracting(Experiment::id)
                .containsExactly("connections-round-trips", "connections-one-way", "first-second");
        assertThat(results.experiments())
                .flatExtracting(Experiment::figures)
                .filteredOn(figure -> figure.contender().equals("parley-pipe"))
                .hasSize(5)
                .allSatisfy(figure -> {
                    assertThat(figure.value().min()).isPositive();
                    assertThat(figure.ratios()).containsKey("netty-arrays");
                });
        assertThat(figures(results, "connections-round-trips", "parley-pipe"))
                .extracting(Figure::form)
                .containsExactly("1 connection", "3 connections");
    }

    @Test
    @Tag("slow")
    void run_contendersThatSpinOrCopy_haveFigures() throws IOException {
        String contenders = "sockets-spin,netty-spin,netty-tls-arrays,netty-tls-spin";
        Results results = measure(contenders, List.of("rtt", "rate", "throughput"));

        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .extracting(Figure::contender)
                        .contains(contenders.split(",")));
        assertThat(details(results, "sockets-spin")).endsWith(SPINS);
        assertThat(details(results, "netty-spin")).endsWith(SPINS);
        assertThat(details(results, "netty-tls-arrays")).contains("sleeps at once");
        assertThat(details(results, "netty-tls-spin")).contains(SPINS);
    }

    @Test
    @Tag("slow")
    void run_variantsOfThePipe_haveFigures() throws IOException {
        String contenders =
                "parley-pipe,parley-pipe-no-spin,parley-pipe-executor,parley-pipe-receive,parley-pipe-tls-no-spin";
        Results results = measure(contenders, List.of("rtt", "rate"));

        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .extracting(Figure::contender)
                        .contains(contenders.split(",")));
        assertThat(details(results, "parley-pipe")).isEqualTo(SPINS);
        assertThat(details(results, "parley-pipe-no-spin")).isEqualTo("sleeps at once");
        assertThat(details(results, "parley-pipe-tls-no-spin")).isEqualTo("sleeps at once");
    }

    private static String details(Results results, String contender) {
        return results.contenders().stream()
                .filter(entrant -> entrant.name().equals(contender))
                .map(Results.Entrant::details)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void run_bothOnOneProcessor_isStatedInTheReport() throws IOException {
        assumeTrue(CpuPinner.place(Placement.TOGETHER), "no taskset");

        Results results = measure("sockets-spin", List.of("rtt"), "--placement", "together");

        assertThat(results.machine().placement()).isEqualTo(Placement.TOGETHER);
        assertThat(details(results, "sockets-spin"))
                .as("a process with one processor does not spin")
                .endsWith("sleeps at once");
        assertThat(Files.readString(folder.resolve("report.html"))).contains("both processes on one processor");
    }

    @Test
    void run_pin_placesTheProcessesApart() throws IOException {
        assumeTrue(CpuPinner.place(Placement.APART), "no taskset, or one processor");

        assertThat(measure("sockets", List.of("rate"), "--pin").machine().placement())
                .isEqualTo(Placement.APART);
        assertThat(Files.readString(folder.resolve("report.html"))).contains("cpu, connecting side, ns per message");
        assertThat(measure("sockets", List.of("rate"), "--placement", "apart")
                        .machine()
                        .placement())
                .isEqualTo(Placement.APART);
    }

    @Test
    void run_unknownOrContradictoryPlacement_isRejected() {
        assertThat(run("run", "rtt", "--placement", "near")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(run("run", "rtt", "--placement", "together", "--pin")).isEqualTo(CommandLine.ExitCode.USAGE);

        assertThat(err.toString())
                .contains("placement: near (expected: apart, together or any)")
                .contains("placement: together (expected: apart, because of --pin)");
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
    void run_density_hasTheMemoryOfConnectionsChannelsAndPeers_andTheThreads() throws IOException {
        Results results = measure("parley-pipe", List.of("density"));

        assertThat(results.experiments())
                .extracting(Experiment::id)
                .containsExactly("density-connections", "density-channels", "density-peers", "density-threads");
        assertThat(results.experiments().get(0).figures())
                .allSatisfy(figure -> assertThat(figure.parts()).containsOnlyKeys("heap", "direct", "native"))
                .extracting(Figure::form)
                .containsExactly("TLS", "plain text");
        assertThat(results.experiments().get(3).figures())
                .allSatisfy(figure -> assertThat(figure.value().median()).isPositive())
                .extracting(Figure::form)
                .containsExactly("1 peer", "3 peers", "5 peers");
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

    private Results measure(String contenders, List<String> suites, String... options) throws IOException {
        List<String> args = new ArrayList<>(List.of("run"));
        args.addAll(suites);
        args.addAll(List.of("--tiny", "--out", folder.toString(), "--contender", contenders));
        args.addAll(List.of(options));
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

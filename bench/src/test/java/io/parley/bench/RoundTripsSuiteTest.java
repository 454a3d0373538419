package io.parley.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Results;
import io.parley.bench.worker.CpuPinner;
import io.parley.bench.worker.Placement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the suites of round trips and rates with the smallest time budget, and checks the options. */
@Tag("suite")
final class RoundTripsSuiteTest {

    private static final String SPINS =
            Runtime.getRuntime().availableProcessors() > 1 ? "spins before it sleeps" : "sleeps at once";
    private static final List<String> SUITES = List.of("rtt", "allocation", "wire-bytes");

    private BenchCommand bench = new BenchCommand(Path.of(""));

    @BeforeEach
    void useFolder(@TempDir Path folder) {
        bench = new BenchCommand(folder);
    }

    @AfterEach
    void resetPlacement() {
        CpuPinner.place(Placement.ANY); // the placement is one for the process
    }

    @Test
    void list_namesEverySuiteAndContender() {
        assertThat(bench.run("list")).as(bench::output).isZero();

        assertThat(bench.output())
                .contains("rtt", "rate", "throughput", "allocation", "wire-bytes", "codec-wire", "codecs", "jmh")
                .contains("peer-operations", "boot", "rendezvous", "density", "compression")
                .contains("sockets", "netty", "netty-tls", "jxta-endpoint", "jxta-pipe");
    }

    @Test
    void list_namesTheTableOrFigureThatASuiteStandsFor() {
        assertThat(bench.run("list")).as(bench::output).isZero();

        assertThat(bench.output())
                .containsSubsequence(
                        "rtt ",
                        "stands for \"The Costs of Using JXTA: Initial Benchmarking Results\", figure 4",
                        "stands for \"The Costs of Using JXTA: Initial Benchmarking Results\", figure 5, without relays",
                        "rate ")
                .containsSubsequence(
                        "peer-operations ",
                        "stands for \"The Costs of Using JXTA: Initial Benchmarking Results\", table 1",
                        "boot ");
    }

    @Test
    void run_unknownContender_listsTheContenders() {
        assertThat(bench.run("run", "rtt", "--contender", "netty,carrier-pigeon"))
                .isEqualTo(CommandLine.ExitCode.USAGE);

        assertThat(bench.output())
                .contains("contender: carrier-pigeon (expected: one of [sockets,", ", java-io,")
                .doesNotContain("Exception");
    }

    @Test
    void run_unknownSuite_listsTheSuites() {
        assertThat(bench.run("run", "speed")).isEqualTo(CommandLine.ExitCode.USAGE);

        assertThat(bench.output()).contains("suite: speed (expected: all or one of [rtt,");
    }

    @Test
    void run_socketsAndNetty_writesAFigureForEachAndTheirRatios() throws IOException {
        Results results = bench.measure("sockets,netty", SUITES);

        assertThat(results.contenders()).extracting(Results.Entrant::name).containsExactly("sockets", "netty");
        assertThat(results.experiments())
                .extracting(Experiment::id)
                .containsExactly(
                        "rtt-event",
                        "rtt-caller",
                        "allocation-round-trip",
                        "allocation-one-way",
                        "wire-overhead",
                        "wire-share",
                        "wire-set-up");
        assertThat(results.experiments()).allSatisfy(experiment -> {
            assertThat(experiment.figures()).extracting(Figure::contender).contains("sockets", "netty");
            assertThat(experiment.figures())
                    .filteredOn(figure -> figure.contender().equals("netty"))
                    .allSatisfy(figure -> assertThat(figure.ratios()).containsOnlyKeys("sockets"));
        });
        String report = bench.report();
        assertThat(report).startsWith("<!doctype html>").endsWith("</html>").contains("<svg", "netty");
        assertThat(report).contains("cpu, µs per round trip");
        assertThat(report).doesNotContain("http://", "https://", "<script");
        assertThat(results.machine().placement()).isEqualTo(Placement.ANY);
        assertThat(BenchCommand.figures(results, "wire-overhead", "sockets"))
                .as("the length prefix")
                .allSatisfy(figure -> assertThat(figure.value().median()).isEqualTo(Integer.BYTES));
        assertThat(BenchCommand.figures(results, "wire-share", "sockets"))
                .extracting(figure -> figure.value().median())
                .containsExactly(100.0 * 1024 / 1028, 100.0 * 10_240 / 10_244);
        assertThat(BenchCommand.figures(results, "wire-share", "jxta-1.0, paper"))
                .extracting(figure -> figure.value().median())
                .containsExactly(40.0, 80.0);
    }

    @Test
    @Tag("slow")
    void run_roundTripsAndFloods_haveTheProcessorTimeOfBothSides() throws IOException {
        Results results = bench.measure("sockets", List.of("rtt", "rate", "throughput"));

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
        Results results = bench.measure("netty-tls-spin,parley-pipe-no-spin", List.of("paced"));

        assertThat(BenchCommand.details(results, "netty-tls-spin")).contains(SPINS);
        assertThat(BenchCommand.details(results, "parley-pipe-no-spin")).isEqualTo("sleeps at once");
        assertThat(results.machine().tlsEngine()).isNotBlank();
        assertThat(results.experiments().get(0).figures()).hasSize(2).allSatisfy(figure -> {
            assertThat(figure.form()).isEqualTo("10,000/s");
            assertThat(figure.value().min()).isPositive();
            assertThat(figure.parts())
                    .containsKeys("p99.9", "sender woke late, p50", "sent", "cpu", "busy, serving side");
        });
    }

    @Test
    @Tag("slow")
    void run_contendersThatSpinOrCopy_haveFigures() throws IOException {
        String contenders = "sockets-spin,netty-spin,netty-tls-arrays,netty-tls-spin";
        Results results = bench.measure(contenders, List.of("rtt", "rate", "throughput"));

        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .extracting(Figure::contender)
                        .contains(contenders.split(",")));
        assertThat(BenchCommand.details(results, "sockets-spin")).endsWith(SPINS);
        assertThat(BenchCommand.details(results, "netty-spin")).endsWith(SPINS);
        assertThat(BenchCommand.details(results, "netty-tls-arrays")).contains("sleeps at once");
        assertThat(BenchCommand.details(results, "netty-tls-spin")).contains(SPINS);
    }

    @Test
    @Tag("slow")
    void run_variantsOfThePipe_haveFigures() throws IOException {
        String contenders =
                "parley-pipe,parley-pipe-no-spin,parley-pipe-executor,parley-pipe-receive,parley-pipe-tls-no-spin";
        Results results = bench.measure(contenders, List.of("rtt", "rate"));

        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .extracting(Figure::contender)
                        .contains(contenders.split(",")));
        assertThat(BenchCommand.details(results, "parley-pipe")).isEqualTo(SPINS);
        assertThat(BenchCommand.details(results, "parley-pipe-no-spin")).isEqualTo("sleeps at once");
        assertThat(BenchCommand.details(results, "parley-pipe-tls-no-spin")).isEqualTo("sleeps at once");
    }

    @Test
    void run_pipeOverHttp_isComparedWithTcpAndWithWebSocketOfNetty() throws IOException {
        Results results = bench.measure(
                "netty-websocket-spin,netty-tls-websocket-spin,parley-pipe,parley-pipe-tls,parley-pipe-http,parley-pipe-http-tls",
                List.of("rtt", "rate"));

        assertThat(results.experiments()).extracting(Experiment::id).containsExactly("rtt-event", "rtt-caller", "rate");
        assertThat(results.experiments()).allSatisfy(experiment -> {
            assertThat(experiment.figures())
                    .filteredOn(figure -> figure.contender().equals("parley-pipe-http"))
                    .isNotEmpty()
                    .allSatisfy(figure ->
                            assertThat(figure.ratios()).containsOnlyKeys("parley-pipe", "netty-websocket-spin"));
            assertThat(experiment.figures())
                    .filteredOn(figure -> figure.contender().equals("parley-pipe-http-tls"))
                    .isNotEmpty()
                    .allSatisfy(figure -> assertThat(figure.ratios())
                            .containsOnlyKeys("parley-pipe-tls", "netty-tls-websocket-spin"));
        });
        assertThat(BenchCommand.details(results, "parley-pipe-http")).isEqualTo(SPINS);
        assertThat(BenchCommand.details(results, "netty-tls-websocket-spin")).contains(SPINS);
    }

    @Test
    void run_pipeThroughARelay_isComparedWithTheDirectOne() throws IOException {
        Results results = bench.measure(
                "parley-pipe-tls,parley-pipe-relay-tls,parley-pipe-relay-http-tls", List.of("rtt", "rate"));

        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .filteredOn(figure -> figure.contender().startsWith("parley-pipe-relay"))
                        .isNotEmpty()
                        .allSatisfy(figure -> assertThat(figure.ratios()).containsKey("parley-pipe-tls")));
    }

    @Test
    void run_webSocketOfNetty_masksTheFramesOfTheClientAlone() throws IOException {
        Results results = bench.measure("netty-websocket-spin", List.of("wire-bytes"));

        assertThat(overheads(results, "to server"))
                .as("length prefix, length of one or three bytes, mask")
                .containsExactly(10.0, 12.0, 12.0, 12.0);
        assertThat(overheads(results, "to client"))
                .as("the same without the mask")
                .containsExactly(6.0, 8.0, 8.0, 8.0);
    }

    private static List<Double> overheads(Results results, String direction) {
        return BenchCommand.figures(results, "wire-overhead", "netty-websocket-spin").stream()
                .map(figure -> figure.parts().get(direction).median())
                .toList();
    }

    @Test
    void run_bothOnOneProcessor_isStatedInTheReport() throws IOException {
        assumeTrue(CpuPinner.place(Placement.TOGETHER), "no taskset");

        Results results = bench.measure("sockets-spin", List.of("rtt"), "--placement", "together");

        assertThat(results.machine().placement()).isEqualTo(Placement.TOGETHER);
        assertThat(BenchCommand.details(results, "sockets-spin"))
                .as("a process with one processor does not spin")
                .endsWith("sleeps at once");
        assertThat(bench.report()).contains("both processes on one processor");
    }

    @Test
    void run_pin_placesTheProcessesApart() throws IOException {
        assumeTrue(CpuPinner.place(Placement.APART), "no taskset, or one processor");

        assertThat(bench.measure("sockets", List.of("rate"), "--pin").machine().placement())
                .isEqualTo(Placement.APART);
        assertThat(bench.report()).contains("cpu, connecting side, ns per message");
        assertThat(bench.measure("sockets", List.of("rate"), "--placement", "apart")
                        .machine()
                        .placement())
                .isEqualTo(Placement.APART);
    }

    @Test
    void run_unknownOrContradictoryPlacement_isRejected() {
        assertThat(bench.run("run", "rtt", "--placement", "near")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(bench.run("run", "rtt", "--placement", "together", "--pin")).isEqualTo(CommandLine.ExitCode.USAGE);

        assertThat(bench.output())
                .contains("placement: near (expected: apart, together or any)")
                .contains("placement: together (expected: apart, because of --pin)");
    }

    @Test
    @Tag("slow")
    void run_jxta_takesPartInEverything() throws IOException {
        Results results = bench.measure("jxta-endpoint,jxta-pipe", SUITES);

        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .extracting(Figure::contender)
                        .contains("jxta-endpoint", "jxta-pipe"));
    }
}

package io.parley.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Results;
import io.parley.bench.worker.NetworkNamespaces;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the suites of byte streams with the smallest time budget. */
@Tag("suite")
final class StreamsSuiteTest {

    private BenchCommand bench = new BenchCommand(Path.of(""));

    @BeforeEach
    void useFolder(@TempDir Path folder) {
        bench = new BenchCommand(folder);
    }

    @Test
    void list_namesTheStreams_andThePapers() {
        assertThat(bench.run("list")).as(bench::output).isZero();

        assertThat(bench.output())
                .containsSubsequence("netpipe ", "stands for \"NetPIPE: java.io and java.nio beside C\"", "sockets ")
                .contains("java-nio-direct", "netty-stream-io-uring", "parley-stream-pipe", "jxta-socket", "c-netpipe");
    }

    @Test
    void run_netPipe_drawsThroughputAndLatencyOverTheBlockSize_andFindsTheGreatestFall() throws IOException {
        Results results = bench.measure("java-io,java-nio-heap,parley-socket", List.of("netpipe"));

        assertThat(results.experiments())
                .extracting(Experiment::id)
                .containsExactly("netpipe-throughput", "netpipe-latency", "netpipe-cliffs");
        assertThat(BenchCommand.figures(results, "netpipe-throughput", "parley-socket"))
                .allSatisfy(figure -> {
                    assertThat(figure.value().min()).isPositive();
                    assertThat(figure.ratios()).containsKey("java-io");
                })
                .extracting(Figure::bytes)
                .containsExactly(1, 1021, 1024, 1027, 64 << 10);
        assertThat(BenchCommand.figures(results, "netpipe-latency", "java-nio-heap"))
                .allSatisfy(figure -> assertThat(figure.parts()).containsKeys("mean", "p99", "cpu"));
        assertThat(results.experiments().get(2).figures())
                .extracting(Figure::contender)
                .containsExactlyInAnyOrder("java-nio-heap", "parley-socket");
        assertThat(bench.report()).contains("<svg", "NetPIPE: throughput over the block size", "java-nio-heap");
    }

    @Test
    @Tag("slow")
    void run_netPipeOfAllOthers_checksEveryByte() throws IOException {
        String contenders =
                "java-nio-direct,netty-stream-nio,netty-stream-tls,parley-stream-endpoint,parley-stream-pipe,"
                        + "parley-socket-tls,jxta-stream-pipe,jxta-socket";
        Results results = bench.measure(contenders, List.of("netpipe", "sockets"));

        assertThat(results.experiments().get(0).figures())
                .extracting(Figure::contender)
                .contains("java-nio-direct", "netty-stream-nio", "parley-stream-endpoint", "parley-stream-pipe")
                .contains("jxta-stream-pipe", "jxta-socket");
        assertThat(BenchCommand.figures(results, "sockets-stream", "parley-socket-tls"))
                .singleElement()
                .satisfies(figure -> assertThat(figure.ratios()).containsKey("netty-stream-tls"));
    }

    @Test
    @Tag("slow")
    void run_sockets_measuresLayersStreamsRequestsAndManySockets_besideThePaper() throws IOException {
        Results results = bench.measure("java-io,parley-socket", List.of("sockets"));

        assertThat(results.experiments())
                .extracting(Experiment::id)
                .containsExactly(
                        "sockets-latency", "sockets-bandwidth", "sockets-stream", "sockets-requests", "sockets-many");
        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(BenchCommand.figures(results, experiment.id(), "parley-socket"))
                        .isNotEmpty()
                        .allSatisfy(figure -> {
                            assertThat(figure.value().min()).isPositive();
                            assertThat(figure.ratios()).containsKey("java-io");
                        }));
        assertThat(BenchCommand.figures(results, "sockets-many", "parley-socket"))
                .extracting(Figure::form)
                .containsExactly("1 socket", "3 sockets");
        assertThat(BenchCommand.figures(results, "sockets-latency", "jxta-2.3 socket, paper"))
                .extracting(figure -> figure.value().median())
                .containsExactly(977.0);
        assertThat(BenchCommand.figures(results, "sockets-stream", "jxta-2.2 512k, paper"))
                .extracting(figure -> figure.value().median())
                .containsExactly(92.0);
    }

    @Test
    @Tag("slow")
    void run_heaps_hasALineForEachHeapAndCollector() throws IOException {
        Results results = bench.measure("java-io", List.of("netpipe"), "--heaps");

        assertThat(results.experiments()).singleElement().satisfies(experiment -> {
            assertThat(experiment.id()).isEqualTo("netpipe-throughput-heaps-java-io");
            assertThat(experiment.figures())
                    .extracting(Figure::contender)
                    .contains("64m Serial", "256m Parallel", "1g G1");
        });
    }

    @Test
    void run_links_limitTheRate_andLeaveNothingBehind() throws IOException {
        assumeTrue(NetworkNamespaces.obstacle().isEmpty(), "no network namespaces");

        Results results = bench.measure("java-io", List.of("netpipe"), "--links");

        assertThat(results.experiments())
                .extracting(Experiment::id)
                .contains(
                        "netpipe-throughput-100mbit-s-socket-buffers-of-16-KB",
                        "netpipe-throughput-1gbit-s-socket-buffers-of-256-KB");
        Process left = new ProcessBuilder("ip", "netns").start();
        assertThat(new String(left.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .doesNotContain("parley-bench-" + ProcessHandle.current().pid());
    }

    @Test
    void run_links_whereTheyCannotBe_saysWhy() {
        assumeTrue(NetworkNamespaces.obstacle().isPresent(), "this machine has network namespaces");

        assertThat(bench.run("run", "netpipe", "--links")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(bench.output()).contains("--buffers and --links cannot run here: network namespaces");
    }
}

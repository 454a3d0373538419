package io.parley.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Results;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the suites other than round trips and rates with the smallest time budget. */
@Tag("suite")
final class OtherSuiteTest {

    private BenchCommand bench = new BenchCommand(Path.of(""));

    @BeforeEach
    void useFolder(@TempDir Path folder) {
        bench = new BenchCommand(folder);
    }

    @Test
    void run_connectionsAndFirstSecond_compareThePipeWithNetty() throws IOException {
        Results results = bench.measure("netty-arrays,parley-pipe", List.of("connections", "first-second"));

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
        assertThat(BenchCommand.figures(results, "connections-round-trips", "parley-pipe"))
                .extracting(Figure::form)
                .containsExactly("1 connection", "3 connections");
    }

    @Test
    void run_composition_hasTheCostOfElements_besideThatOfThePaper() throws IOException {
        Results results = bench.measure("parley-pipe-secure", List.of("composition"));

        assertThat(BenchCommand.figures(results, "composition", "parley-pipe-secure"))
                .allSatisfy(figure -> assertThat(figure.bytes()).isEqualTo(20 << 10))
                .extracting(Figure::form)
                .containsExactly("1 x 20 KB", "5 x 4 KB", "10 x 2 KB", "20 x 1 KB");
        assertThat(BenchCommand.figures(results, "composition-cost", "parley-pipe-secure"))
                .allSatisfy(figure -> assertThat(figure.value().min()).isPositive())
                .extracting(Figure::form)
                .containsExactly("5 x 4 KB", "10 x 2 KB", "20 x 1 KB");
        assertThat(BenchCommand.figures(results, "composition-cost", "jxta-1.0 unicast, paper"))
                .singleElement()
                .satisfies(figure -> assertThat(figure.value().median()).isEqualTo(1.24));
        assertThat(bench.report()).contains("20 x 1 KB", "jxta-1.0 propagate, paper");
    }

    @Test
    @Tag("slow")
    void run_compositionOfJxta_hasFiguresOfEachTypeOfPipe() throws IOException {
        String contenders = "jxta-pipe,jxta-pipe-secure,jxta-pipe-propagate";
        Results results = bench.measure(contenders, List.of("composition"));

        for (String contender : contenders.split(",")) {
            assertThat(BenchCommand.figures(results, "composition", contender)).hasSize(4);
        }
    }

    @Tag("slow")
    @Test
    void run_fanOut_hasTheRateAtTheLastReceiver_alsoWhileOneIsStopped() throws IOException {
        Results results = bench.measure("netty-tls-arrays,parley-topic-tls", List.of("fan-out"));

        assertThat(results.experiments()).extracting(Experiment::id).containsExactly("fan-out", "fan-out-stopped");
        assertThat(BenchCommand.figures(results, "fan-out", "netty-fanout-tls")).hasSize(1);
        assertThat(BenchCommand.figures(results, "fan-out", "parley-topic-tls"))
                .singleElement()
                .satisfies(figure -> {
                    assertThat(figure.form()).isEqualTo("2 receivers");
                    assertThat(figure.value().min()).isPositive();
                    assertThat(figure.parts()).containsKeys("cpu", "cpu, serving side");
                    assertThat(figure.ratios()).containsOnlyKeys("netty-fanout-tls");
                });
        assertThat(results.experiments().get(1).figures()).singleElement().satisfies(figure -> {
            assertThat(figure.contender()).isEqualTo("parley-topic-tls");
            assertThat(figure.value().min()).isPositive();
        });
        assertThat(BenchCommand.details(results, "netty-fanout-tls")).contains("sleeps at once");
    }

    @Tag("slow")
    @Test
    void run_sendingRate_comparesTypesOfPipes_smoothAndInBursts() throws IOException {
        Results results = bench.measure("parley-pipe-tls,parley-pipe-secure-tls", List.of("sending-rate"));

        assertThat(results.experiments()).extracting(Experiment::id).containsExactly("sending-rate", "sending-bursts");
        assertThat(results.experiments())
                .flatExtracting(Experiment::figures)
                .filteredOn(figure -> figure.contender().equals("parley-pipe-secure-tls"))
                .hasSize(2)
                .allSatisfy(figure -> {
                    assertThat(figure.value().min()).isPositive();
                    assertThat(figure.ratios()).containsKey("parley-pipe-tls");
                });
        assertThat(BenchCommand.figures(results, "sending-rate", "jxta-1.0 secure, paper"))
                .extracting(figure -> figure.value().median())
                .containsExactly(23.0, 23.0);
    }

    @Test
    @Tag("slow")
    void run_sendingRateOfAllTypesOfPipes_hasFigures() throws IOException {
        String contenders = "parley-pipe-tls,parley-pipe-secure,parley-pipe-checksum-tls,parley-topic-tls,jxta-pipe";
        Results results = bench.measure(contenders, List.of("sending-rate"));

        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .extracting(Figure::contender)
                        .contains(contenders.split(",")));
    }

    @Tag("slow")
    @Test
    void run_loss_hasTheShareOfLostMessages_besideThatOfThePaper() throws IOException {
        Results results = bench.measure("parley-topic-dropping-tls", List.of("loss"));

        assertThat(results.experiments().get(0).figures())
                .filteredOn(figure -> figure.contender().startsWith("parley"))
                .singleElement()
                .satisfies(figure -> {
                    assertThat(figure.form()).isEqualTo("10,000/s");
                    assertThat(figure.value().median()).isBetween(0.0, 100.0);
                    assertThat(figure.parts()).containsOnlyKeys("sent", "arrived");
                });
        assertThat(BenchCommand.figures(results, "loss", "jxta-1.0 propagate, paper"))
                .extracting(Figure::form)
                .containsExactly("20/s", "200/s");
    }

    @Test
    @Tag("slow")
    void run_lossOfAPipe_hasFigures() throws IOException {
        Results results = bench.measure("parley-pipe-best-effort-tls", List.of("loss"));

        assertThat(BenchCommand.figures(results, "loss", "parley-pipe-best-effort-tls"))
                .hasSize(1);
    }

    @Test
    @Tag("slow")
    void run_elementEncryption_isComparedWithASecurePipeAndNone() throws IOException {
        Results results = bench.measure("parley-pipe,parley-pipe-secure,parley-pipe-encrypted", List.of("rtt", "rate"));

        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .filteredOn(figure -> figure.contender().equals("parley-pipe-encrypted"))
                        .isNotEmpty()
                        .allSatisfy(figure ->
                                assertThat(figure.ratios()).containsOnlyKeys("parley-pipe-secure", "parley-pipe")));
    }

    @Test
    @Tag("slow")
    void run_jmh_hasTimesAndAllocationsOfMessagesRequestsAndPeers() throws IOException {
        Results results = bench.measure("parley-pipe", List.of("jmh"));

        assertThat(results.experiments())
                .extracting(Experiment::id)
                .contains("jmh-time", "jmh-one-way-time", "jmh-request-allocation", "jmh-open-output-time")
                .hasSize(12);
        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures()).isNotEmpty());
    }

    @Test
    void run_codecs_hasSizesAndTimesBesideTextAndBinary() throws IOException {
        Results results = bench.measure("parley-pipe", List.of("codecs"));

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
        assertThat(bench.report()).contains("small-xml", "fastinfoset-fresh");
    }

    @Test
    void run_compression_hasSizesTimesAndTransits_besideThoseOfThePaper() throws IOException {
        Results results = bench.measure("parley-pipe", List.of("compression"));

        assertThat(results.experiments())
                .extracting(Experiment::id)
                .containsExactly(
                        "compression-size",
                        "compression-encode-time",
                        "compression-decode-time",
                        "compression-transit-dsl",
                        "compression-transit-lan",
                        "compression-transit-loopback");
        assertThat(BenchCommand.figures(results, "compression-size", "treechop"))
                .hasSize(7)
                .allSatisfy(figure -> assertThat(figure.ratios()).containsOnlyKeys("gzip", "jxta-2.3 treechop, paper"));
        assertThat(results.experiments().subList(1, 3))
                .flatExtracting(Experiment::figures)
                .allSatisfy(figure -> assertThat(figure.samples()).isPositive());
        assertThat(results.experiments().subList(3, 6))
                .flatExtracting(Experiment::figures)
                .filteredOn(figure -> figure.contender().equals("gzip"))
                .hasSize(6)
                .allSatisfy(figure -> {
                    assertThat(figure.value().min()).isPositive();
                    assertThat(figure.ratios()).containsOnlyKeys("uncoded");
                });
        assertThat(BenchCommand.figures(results, "compression-transit-dsl", "jxta-2.3 xmlppm, paper"))
                .extracting(figure -> figure.value().median())
                .containsExactly(609.73, 539.20);
        assertThat(bench.report()).contains("jxta-2.3 uncoded, paper");
        bench.run("check", bench.results().toString());
        assertThat(bench.output().lines().filter(line -> line.contains("compression-size")))
                .as("sizes, which are the same on each machine")
                .hasSize(21)
                .allSatisfy(line -> assertThat(line).startsWith("held "));
    }

    @Test
    @Tag("slow")
    void run_formatsEndToEnd_areComparedWithTheBinaryOne() throws IOException {
        Results results = bench.measure("parley-pipe,parley-pipe-fastinfoset", List.of("codec-wire"));

        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .filteredOn(figure -> figure.contender().equals("parley-pipe-fastinfoset"))
                        .isNotEmpty()
                        .allSatisfy(figure -> assertThat(figure.ratios()).containsOnlyKeys("parley-pipe")));
    }

    @Test
    void run_boot_comparesFullHomesWithAnEmptyOne() throws IOException {
        Results results = bench.measure("parley-pipe", List.of("boot"));

        assertThat(results.experiments()).extracting(Experiment::id).containsExactly("boot-time", "boot-look-up");
        assertThat(results.experiments().get(0).figures())
                .filteredOn(figure -> figure.contender().equals("parley, 100"))
                .allSatisfy(figure -> assertThat(figure.ratios()).containsOnlyKeys("parley, none"))
                .extracting(Figure::form)
                .containsExactly("until it has started", "until its store has responded");
    }

    @Test
    void run_rendezvous_countsQueriesAndPublications() throws IOException {
        Results results = bench.measure("parley-pipe", List.of("rendezvous"));

        assertThat(results.experiments())
                .extracting(Experiment::id)
                .containsExactly("rendezvous-finds", "rendezvous-publications");
        assertThat(results.experiments())
                .flatExtracting(Experiment::figures)
                .hasSize(2)
                .allSatisfy(figure -> assertThat(figure.samples()).isPositive());
    }

    @Test
    void run_relay_comparesRelaysWithADirectConnection() throws IOException {
        Results results =
                bench.measure("parley-pipe-tls,parley-pipe-relay-tls,parley-pipe-relay-http-tls", List.of("relay"));

        assertThat(results.experiments())
                .extracting(Experiment::id)
                .containsExactly("relay-rtt", "relay-rate", "relay-throughput");
        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .extracting(Figure::contender)
                        .containsExactly("parley-pipe-tls", "parley-pipe-relay-tls", "parley-pipe-relay-http-tls"));
    }

    @Test
    void run_groups_hasTheCostOfAMemberByTheSizeOfTheGroup() throws IOException {
        Results results = bench.measure("parley-pipe", List.of("groups"));

        assertThat(results.experiments())
                .extracting(Experiment::id)
                .containsExactly("groups-cycle", "groups-traffic", "groups-latency", "groups-memory");
        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .extracting(Figure::form)
                        .containsExactly("3 members", "6 members"));
    }

    @Tag("slow")
    @Test
    void run_density_hasTheMemoryOfConnectionsChannelsAndPeers_andTheThreads() throws IOException {
        Results results = bench.measure("parley-pipe", List.of("density"));

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
}

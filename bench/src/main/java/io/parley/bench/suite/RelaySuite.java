package io.parley.bench.suite;

import io.parley.bench.result.Experiment;
import io.parley.bench.worker.WaitMode;
import java.util.ArrayList;
import java.util.List;

/** Measures what a relay costs: pipes over direct connections, and through a relay over TCP and over HTTP. */
final class RelaySuite implements Suite {

    private static final String NAME = "relay";
    private static final int BYTES = 1 << 10;
    private static final int LARGE_BYTES = 64 << 10;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "Round trips and one way through a relay over TCP and HTTP, beside a direct connection.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(Paper.COSTS.experiment("figure 5"), Paper.COSTS.experiment("figure 10"));
    }

    @Override
    public List<String> contenderNames() {
        return List.of("parley-pipe-tls", "parley-pipe-relay-tls", "parley-pipe-relay-http-tls");
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        List<Experiment> experiments = new ArrayList<>();
        try (ProcessPairPool pairs = new ProcessPairPool(context)) {
            RoundResults trips = new RoundResults();
            pairs.runRounds("round trips", (contender, pair, round) -> {
                pair.prepare(BYTES);
                trips.add(
                        round,
                        RoundTripSuite.key(contender, WaitMode.EVENT, BYTES),
                        RoundTripSuite.measure(context, pair, WaitMode.EVENT, round));
            });
            experiments.add(new Experiment(
                    NAME,
                    "relay-rtt",
                    "Round trip time of 1 KB through a relay",
                    "Event-driven, as in rtt. The relay runs in the process of the receiver, on event loops of its own. "
                            + Suites.rounds(context) + CpuCost.METHOD,
                    "p50",
                    "µs",
                    RoundTripSuite.CPU_UNITS,
                    Experiment.Better.LESS,
                    Experiment.Chart.BARS,
                    trips.figures(context.contenders())));
            context.keep(experiments);
            for (ThroughputSuite oneWay : List.of(
                    oneWay("relay-rate", "messages of 1 KB per second", BYTES, ThroughputSuite.Unit.MESSAGES),
                    oneWay(
                            "relay-throughput",
                            "messages of 64 KB, megabytes per second",
                            LARGE_BYTES,
                            ThroughputSuite.Unit.MEGABYTES))) {
                experiments.add(ofThisSuite(oneWay.measure(context, pairs)));
                context.keep(experiments);
            }
        }
        return experiments;
    }

    private static Experiment ofThisSuite(Experiment measured) {
        return new Experiment(
                NAME,
                measured.id(),
                measured.question(),
                measured.method(),
                measured.value(),
                measured.unit(),
                measured.partUnits(),
                measured.better(),
                measured.chart(),
                measured.figures());
    }

    private static ThroughputSuite oneWay(String id, String what, int bytes, ThroughputSuite.Unit unit) {
        return new ThroughputSuite(
                id, "One way through a relay.", "One way through a relay: " + what, List.of(), List.of(bytes), unit);
    }
}

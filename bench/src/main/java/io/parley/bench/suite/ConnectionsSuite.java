package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.worker.CpuTime;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.ProcessPair.SimultaneousRoundTrips;
import io.parley.bench.worker.WorkerException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Measures round trips and messages one way on many connections to one receiver, in sum. */
final class ConnectionsSuite implements Suite {

    private static final int BYTES = 1 << 10;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final long FIRST_FLOOD_MESSAGES = 10_000;
    private static final int WARM_UP_FLOODS = 4;
    private static final int TURNS_PER_MEASUREMENT = 2;
    private static final String METHOD =
            "Each connection is that of a peer (Parley) or a channel (Netty); all clients are in one process, and the"
                    + " receiver in another. ";

    @Override
    public String name() {
        return "connections";
    }

    @Override
    public String description() {
        return "Round trips and messages per second on 1 to 1,000 connections to one receiver, in sum.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(Paper.COSTS.experiment("future work: several senders"));
    }

    @Override
    public List<String> contenderNames() {
        return List.of(
                "netty",
                "netty-arrays",
                "netty-spin",
                "netty-tls-arrays",
                "parley-pipe",
                "parley-pipe-no-spin",
                "parley-pipe-tls",
                "parley-pipe-secure-tls");
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        RoundResults roundTrips = new RoundResults();
        RoundResults oneWay = new RoundResults();
        try (ProcessPairPool pairs = new ProcessPairPool(context)) {
            for (int connections : counts(context.budget())) {
                Map<String, Long> messages = new HashMap<>();
                pairs.runRounds(label(connections), (contender, pair, round) -> {
                    pair.connections(connections);
                    pair.prepare(BYTES);
                    RoundResults.Key key = key(contender, connections);
                    roundTrips.add(round, key, roundTrips(context.budget(), pair, round));
                    for (int flood = 0; flood < (round == 0 ? WARM_UP_FLOODS : 1); flood++) {
                        long each = messages.getOrDefault(contender.name(), Math.max(1, first(context) / connections));
                        RoundResults.Entry result = oneWay(pair, each, connections);
                        oneWay.add(round, key, result);
                        messages.put(contender.name(), perTurn(context.budget(), result, connections));
                    }
                });
            }
        }
        return List.of(
                experiment(
                        context,
                        roundTrips,
                        "connections-round-trips",
                        "Connections: round trips per second, in sum",
                        "One message of 1 KB is pending on each connection; the callback that receives the reply sends the"
                                + " next one. The percentiles are those of all round trips. ",
                        "round trips/s",
                        "µs per round trip",
                        Map.of("p50", "µs", "p99", "µs")),
                experiment(
                        context,
                        oneWay,
                        "connections-one-way",
                        "Connections: messages per second, in sum",
                        "All connections send messages of 1 KB as fast as back-pressure allows, an equal number each; the"
                                + " time ends when the receiver has all of them. ",
                        "messages/s",
                        "µs per message",
                        Map.of()));
    }

    private static List<Integer> counts(TimeBudget budget) {
        return budget.isTiny() ? List.of(1, 3) : List.of(1, 10, 100, 1_000);
    }

    private static long first(SuiteContext context) {
        return Math.min(FIRST_FLOOD_MESSAGES, context.budget().counted());
    }

    private static RoundResults.Key key(Contender contender, int connections) {
        return new RoundResults.Key(contender.name(), label(connections), BYTES);
    }

    private static String label(int connections) {
        return connections == 1 ? "1 connection" : "%,d connections".formatted(connections);
    }

    private static RoundResults.Entry roundTrips(TimeBudget budget, ProcessPair pair, int round)
            throws WorkerException, InterruptedException {
        Duration turn = round == 0 ? budget.warmUp() : budget.turn().multipliedBy(TURNS_PER_MEASUREMENT);
        CpuTime start = pair.cpuTime();
        SimultaneousRoundTrips measured = pair.allRoundTrips(turn, budget.maxRoundTrips());
        CpuCost cpu = CpuCost.since(start, pair);
        long count = measured.times().getTotalCount();
        Map<String, Double> parts = cpu.parts(count, NANOS_PER_MICRO);
        parts.put("p50", LatencyParts.micros(measured.times(), 50));
        parts.put("p99", LatencyParts.micros(measured.times(), 99));
        return new RoundResults.Entry(count / seconds(measured.elapsed()), parts, count);
    }

    private static RoundResults.Entry oneWay(ProcessPair pair, long each, int connections)
            throws WorkerException, InterruptedException {
        CpuTime start = pair.cpuTime();
        Duration elapsed = pair.allFlood(each);
        CpuCost cpu = CpuCost.since(start, pair);
        long count = each * connections;
        return new RoundResults.Entry(count / seconds(elapsed), cpu.parts(count, NANOS_PER_MICRO), count);
    }

    /** Returns the number of messages of each connection that take about one turn at the rate of {@code flood}. */
    private static long perTurn(TimeBudget budget, RoundResults.Entry flood, int connections) {
        double turns = TURNS_PER_MEASUREMENT * seconds(budget.turn());
        return Math.max(1, (long) (flood.value() * turns / connections));
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / NANOS_PER_SECOND;
    }

    private Experiment experiment(
            SuiteContext context,
            RoundResults results,
            String id,
            String title,
            String method,
            String unit,
            String cpuUnit,
            Map<String, String> otherUnits) {
        Map<String, String> units = CpuCost.units(cpuUnit);
        units.putAll(otherUnits);
        return new Experiment(
                name(),
                id,
                title,
                METHOD + method + Suites.rounds(context) + CpuCost.METHOD,
                "rate",
                unit,
                units,
                Experiment.Better.MORE,
                Experiment.Chart.BARS_BY_FORM,
                results.figures(context.contenders()));
    }
}

package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.worker.CpuTime;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.ProcessPair.SimultaneousRoundTrips;
import io.parley.bench.worker.WorkerException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Measures requests and responses, with one and with many pending. */
final class RequestsSuite implements Suite {

    private static final int BYTES = 1 << 10;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final int TURNS_PER_MEASUREMENT = 2;

    @Override
    public String name() {
        return "requests";
    }

    @Override
    public String description() {
        return "Requests of 1 KB per second, with 1 and with 64 pending, and the time of each.";
    }

    @Override
    public List<String> contenderNames() {
        return List.of("grpc", "grpc-executor", "parley-request", "parley-request-executor");
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        RoundResults results = new RoundResults();
        try (ProcessPairPool pairs = new ProcessPairPool(context)) {
            for (int pending : List.of(1, 64)) {
                pairs.runRounds(label(pending), (contender, pair, round) -> {
                    pair.prepare(BYTES);
                    results.add(round, key(contender, pending), measure(context.budget(), pair, pending, round));
                });
            }
        }
        Map<String, String> units = CpuCost.units("µs per request");
        units.putAll(Map.of("p50", "µs", "p99", "µs"));
        return List.of(new Experiment(
                name(),
                name(),
                "Requests per second",
                "One connection with mutual TLS by the same engine; event loops sleep when they have no work. Each response"
                        + " triggers the next request. The handler echoes 1 KB, on the event loop or, where the name says so,"
                        + " on the executor that the stack uses by default. The percentiles are those of the time from request"
                        + " to response. " + Suites.rounds(context) + CpuCost.METHOD,
                "rate",
                "requests/s",
                units,
                Experiment.Better.MORE,
                Experiment.Chart.BARS_BY_FORM,
                results.figures(context.contenders())));
    }

    private static RoundResults.Key key(Contender contender, int pending) {
        return new RoundResults.Key(contender.name(), label(pending), BYTES);
    }

    private static String label(int pending) {
        return pending + " pending";
    }

    private static RoundResults.Entry measure(TimeBudget budget, ProcessPair pair, int pending, int round)
            throws WorkerException, InterruptedException {
        if (round == 0) {
            WarmUp.run(budget, time -> pair.requests(pending, time).times().getValueAtPercentile(50));
        }
        Duration turn = budget.turn().multipliedBy(TURNS_PER_MEASUREMENT);
        CpuTime start = pair.cpuTime();
        SimultaneousRoundTrips measured = pair.requests(pending, turn);
        CpuCost cpu = CpuCost.since(start, pair);
        long count = measured.times().getTotalCount();
        Map<String, Double> parts = cpu.parts(count, NANOS_PER_MICRO);
        parts.put("p50", LatencyParts.micros(measured.times(), 50));
        parts.put("p99", LatencyParts.micros(measured.times(), 99));
        return new RoundResults.Entry(
                count * NANOS_PER_SECOND / measured.elapsed().toNanos(), parts, count);
    }
}

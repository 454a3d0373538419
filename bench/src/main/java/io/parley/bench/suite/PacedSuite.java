package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.SizeFormatter;
import io.parley.bench.worker.CpuTime;
import io.parley.bench.worker.PacedLatency;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.WorkerException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures the latency and the processor time of messages that are sent at a constant rate. */
final class PacedSuite implements Suite {

    private static final double NANOS_PER_MICRO = 1e3;
    private static final List<Integer> RATES = List.of(1_000, 10_000, 30_000, 100_000, 300_000);
    private static final long MIN_MESSAGES = 500;
    private static final long MIN_MILLIS = 300;
    private static final String LATE = "sender woke late, ";
    private static final String SENT = "sent";
    private static final Map<String, String> PART_UNITS = partUnits();

    @Override
    public String name() {
        return "paced";
    }

    @Override
    public String description() {
        return "Latency and processor time at 1,000 to 300,000 messages per second, one way.";
    }

    @Override
    public List<String> contenderNames() {
        return List.of(
                "netty-arrays",
                "netty-spin",
                "netty-tls-arrays",
                "netty-tls-spin",
                "parley-pipe",
                "parley-pipe-no-spin",
                "parley-pipe-tls",
                "parley-pipe-tls-no-spin");
    }

    private static Map<String, String> partUnits() {
        Map<String, String> units = new LinkedHashMap<>(CpuCost.units("µs per message"));
        units.putAll(CpuCost.utilizationUnits());
        units.put(SENT, "messages/s");
        return units;
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        RoundResults results = new RoundResults();
        try (ProcessPairPool pairs = new ProcessPairPool(context)) {
            for (int bytes : sizes(context.budget())) {
                for (int perSecond : rates(context.budget())) {
                    String measurement =
                            "%,d messages of %s per second".formatted(perSecond, SizeFormatter.text(bytes));
                    pairs.runRounds(measurement, (contender, pair, round) -> {
                        pair.prepare(bytes);
                        if (round == 0) {
                            warmUp(context.budget(), pair);
                        }
                        results.add(
                                round, key(contender, perSecond, bytes), measure(context.budget(), pair, perSecond));
                    });
                }
            }
        }
        return List.of(new Experiment(
                name(),
                "paced",
                "Latency at a constant rate, one way",
                "A thread of the application sends each message when it is due. The latency is the time from then until the"
                        + " listener of the other process has the message, so that a message that waits behind a slow one"
                        + " counts its wait (no coordinated omission). It includes the time by which the sending thread"
                        + " woke late. " + Suites.rounds(context) + CpuCost.METHOD,
                "p50",
                "µs",
                PART_UNITS,
                Experiment.Better.LESS,
                Experiment.Chart.BARS_BY_FORM,
                results.figures(context.contenders())));
    }

    private static RoundResults.Key key(Contender contender, int perSecond, int bytes) {
        return new RoundResults.Key(contender.name(), "%,d/s".formatted(perSecond), bytes);
    }

    private static RoundResults.Entry measure(TimeBudget budget, ProcessPair pair, int perSecond)
            throws WorkerException, InterruptedException {
        long messages = messages(budget, perSecond);
        CpuTime start = pair.cpuTime();
        long startNanos = System.nanoTime();
        PacedLatency latency = pair.paced(perSecond, messages);
        CpuCost cpu = CpuCost.since(start, pair);
        Duration elapsed = Duration.ofNanos(System.nanoTime() - startNanos);
        Map<String, Double> parts = LatencyParts.of(latency.latencies());
        parts.put(LATE + "p50", LatencyParts.micros(latency.wakeUps(), 50));
        parts.put(LATE + "p99", LatencyParts.micros(latency.wakeUps(), 99));
        parts.put(SENT, latency.sentPerSecond());
        parts.putAll(cpu.parts(messages, NANOS_PER_MICRO));
        parts.putAll(cpu.utilization(elapsed));
        return new RoundResults.Entry(LatencyParts.micros(latency.latencies(), 50), parts, messages);
    }

    /** Sends at the highest rate, so that the code is compiled before it runs at the lowest. */
    private static void warmUp(TimeBudget budget, ProcessPair pair) throws WorkerException, InterruptedException {
        int perSecond = RATES.get(RATES.size() - 1);
        pair.paced(perSecond, Math.max(1, perSecond * budget.warmUp().toMillis() / 1000));
    }

    private static long messages(TimeBudget budget, int perSecond) {
        if (budget.isTiny()) {
            return budget.counted();
        }
        long millis = Math.max(MIN_MILLIS, 2 * budget.turn().toMillis());
        return Math.max(MIN_MESSAGES, perSecond * millis / 1000);
    }

    private static List<Integer> sizes(TimeBudget budget) {
        List<Integer> sizes = budget.isFull() ? List.of(64, 1 << 10) : List.of(1 << 10);
        return sizes.stream().filter(budget.roundTripBytes()::contains).toList();
    }

    private static List<Integer> rates(TimeBudget budget) {
        return budget.isTiny() ? List.of(10_000) : RATES;
    }
}

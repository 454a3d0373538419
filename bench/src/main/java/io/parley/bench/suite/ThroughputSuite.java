package io.parley.bench.suite;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.SizeFormatter;
import io.parley.bench.worker.CpuTime;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.WorkerException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Measures one-way throughput by sending as fast as back-pressure allows. */
final class ThroughputSuite implements Suite {

    private static final double MEGA = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int FIRST_FLOOD_BYTES = 4 << 20;
    private static final long FIRST_FLOOD_MESSAGES = 1000;
    private static final long MIN_MESSAGES = 4;
    private static final int MIN_FLOODS = 4;

    /** The rate has not grown if it is below the best one times this factor. */
    private static final double STEADY_GROWTH = 1.05;

    /** The limit of the warm-up, in warm-up times of the budget. */
    private static final int MAX_WARM_UPS = 15;

    private static final double TURNS_PER_FLOOD = 2;
    private static final double MAX_GROWTH = 10;
    private static final Map<String, String> CPU_UNITS = CpuCost.units("ns per message");

    private final String name;
    private final String description;
    private final String title;
    private final List<PaperExperiment> papers;
    private final List<Integer> sizes;
    private final Unit unit;

    ThroughputSuite(
            String name,
            String description,
            String title,
            List<PaperExperiment> papers,
            List<Integer> sizes,
            Unit unit) {
        this.name = name;
        this.description = description;
        this.title = title;
        this.papers = List.copyOf(papers);
        this.sizes = List.copyOf(sizes);
        this.unit = unit;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return papers;
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        RoundResults results = new RoundResults();
        try (ProcessPairPool pairs = new ProcessPairPool(context)) {
            for (int bytes : sizes) {
                Map<String, Long> messages = new HashMap<>();
                pairs.runRounds(name + " of " + SizeFormatter.text(bytes), (contender, pair, round) -> {
                    pair.prepare(bytes);
                    if (round == 0) {
                        messages.put(contender.name(), warmUp(context.budget(), pair, bytes));
                        return;
                    }
                    long count = messages.getOrDefault(contender.name(), MIN_MESSAGES);
                    CpuTime start = pair.cpuTime();
                    double seconds = pair.flood(count).toNanos() / NANOS_PER_SECOND;
                    CpuCost cpu = CpuCost.since(start, pair);
                    results.add(
                            round,
                            new RoundResults.Key(contender.name(), "", bytes),
                            new RoundResults.Entry(unit.rate(count, bytes) / seconds, cpu.parts(count, 1), count));
                });
            }
        }
        return List.of(new Experiment(
                name,
                name,
                title,
                "One connection. The sender sends as fast as back-pressure allows; the time ends when the receiver"
                        + " confirms that all messages have arrived. " + Suites.rounds(context) + CpuCost.METHOD,
                "rate",
                unit.label,
                CPU_UNITS,
                Experiment.Better.MORE,
                Experiment.Chart.BARS,
                results.figures(context.contenders())));
    }

    /**
     * Sends floods with a growing number of messages until the rate has not grown for the warm-up time of the budget. The round
     * trips of the cold start do not compile the code of a flood, and compilers share the processors with the contender: a fixed
     * second was too short for the first size. Returns the number of messages that takes about one turn at the best measured rate.
     */
    private static long warmUp(TimeBudget budget, ProcessPair pair, int bytes)
            throws WorkerException, InterruptedException {
        long count = Math.max(MIN_MESSAGES, Math.min(FIRST_FLOOD_MESSAGES, FIRST_FLOOD_BYTES / bytes));
        Duration spent = Duration.ZERO;
        Duration steady = Duration.ZERO;
        double bestPerNano = 0;
        for (int flood = 0;
                flood < MIN_FLOODS
                        || (steady.compareTo(budget.warmUp()) < 0
                                && spent.compareTo(budget.warmUp().multipliedBy(MAX_WARM_UPS)) < 0);
                flood++) {
            Duration elapsed = pair.flood(count);
            spent = spent.plus(elapsed);
            double perNano = (double) count / Math.max(1, elapsed.toNanos());
            steady = perNano > bestPerNano * STEADY_GROWTH ? Duration.ZERO : steady.plus(elapsed);
            bestPerNano = Math.max(bestPerNano, perNano);
            double target = bestPerNano * budget.turn().toNanos() * TURNS_PER_FLOOD;
            count = Math.max(MIN_MESSAGES, (long) Math.min(target, count * MAX_GROWTH));
        }
        return count;
    }

    /** The unit that is counted per second. */
    enum Unit {
        /** Messages. */
        MESSAGES("messages/s") {
            @Override
            double rate(long count, int bytes) {
                return count;
            }
        },
        /** Megabytes of payload, decimal. */
        MEGABYTES("MB/s") {
            @Override
            double rate(long count, int bytes) {
                return count * (double) bytes / MEGA;
            }
        };

        private final String label;

        Unit(String label) {
            this.label = label;
        }

        abstract double rate(long count, int bytes);
    }
}

package io.parley.bench.suite;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.SizeFormatter;
import io.parley.bench.worker.CpuTime;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Measures one-way throughput by sending as fast as back-pressure allows. */
final class ThroughputSuite implements Suite {

    private static final double MEGA = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;
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
        try (ProcessPairPool pairs = new ProcessPairPool(context)) {
            return List.of(measure(context, pairs));
        }
    }

    /** Measures with the pairs of another suite. */
    Experiment measure(SuiteContext context, ProcessPairPool pairs) throws IOException, InterruptedException {
        RoundResults results = new RoundResults();
        for (int bytes : sizes) {
            Map<String, Long> messages = new HashMap<>();
            pairs.runRounds(name + " of " + SizeFormatter.text(bytes), (contender, pair, round) -> {
                pair.prepare(bytes);
                if (round == 0) {
                    messages.put(contender.name(), FloodWarmUp.run(context.budget(), bytes, pair::flood));
                    return;
                }
                long count = messages.getOrDefault(contender.name(), FloodWarmUp.MIN_MESSAGES);
                CpuTime start = pair.cpuTime();
                double seconds = pair.flood(count).toNanos() / NANOS_PER_SECOND;
                CpuCost cpu = CpuCost.since(start, pair);
                results.add(
                        round,
                        new RoundResults.Key(contender.name(), "", bytes),
                        new RoundResults.Entry(unit.rate(count, bytes) / seconds, cpu.parts(count, 1), count));
            });
        }
        return new Experiment(
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
                results.figures(context.contenders()));
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

package io.parley.bench.suite;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.SizeFormatter;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.WorkerException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Floods the receiver as fast as back-pressure allows. */
final class ThroughputSuite implements Suite {

    private static final double MEGA = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int FIRST_FLOOD_BYTES = 4 << 20;
    private static final long FIRST_FLOOD_MESSAGES = 1000;
    private static final long LEAST_MESSAGES = 4;
    private static final int LEAST_FLOODS = 4;
    private static final double TURNS_PER_FLOOD = 2;
    private static final double LARGEST_STEP = 10;

    private final String name;
    private final String sentence;
    private final String question;
    private final List<Integer> sizes;
    private final Unit unit;

    ThroughputSuite(String name, String sentence, String question, List<Integer> sizes, Unit unit) {
        this.name = name;
        this.sentence = sentence;
        this.question = question;
        this.sizes = List.copyOf(sizes);
        this.unit = unit;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String sentence() {
        return sentence;
    }

    @Override
    public List<Experiment> run(SuiteContext session) throws Exception {
        RoundResults board = new RoundResults();
        try (ProcessPairPool pairs = new ProcessPairPool(session)) {
            for (int bytes : sizes) {
                Map<String, Long> messages = new HashMap<>();
                pairs.takeTurns(name + " of " + SizeFormatter.text(bytes), (contender, pair, round) -> {
                    pair.prepare(bytes);
                    if (round == 0) {
                        messages.put(contender.name(), warmUp(session.budget(), pair, bytes));
                        return;
                    }
                    long count = messages.getOrDefault(contender.name(), LEAST_MESSAGES);
                    double seconds = pair.flood(count).toNanos() / NANOS_PER_SECOND;
                    board.note(
                            round,
                            new RoundResults.Key(contender.name(), "", bytes),
                            new RoundResults.Entry(unit.rate(count, bytes) / seconds, Map.of(), count));
                });
            }
        }
        return List.of(new Experiment(
                name,
                name,
                question,
                "One connection; the sender sends as fast as back-pressure allows, the clock stops when the receiver"
                        + " has said that it has all. " + Suites.rounds(session),
                "rate",
                unit.label,
                Experiment.Better.MORE,
                Experiment.Chart.BARS,
                board.figures(session.contenders())));
    }

    /** Floods with more and more messages; returns how many take about one turn at the best rate seen. */
    private static long warmUp(TimeBudget budget, ProcessPair pair, int bytes)
            throws WorkerException, InterruptedException {
        long count = Math.max(LEAST_MESSAGES, Math.min(FIRST_FLOOD_MESSAGES, FIRST_FLOOD_BYTES / bytes));
        Duration spent = Duration.ZERO;
        double bestPerNano = 0;
        for (int flood = 0; flood < LEAST_FLOODS || spent.compareTo(budget.warmUp()) < 0; flood++) {
            Duration took = pair.flood(count);
            spent = spent.plus(took);
            bestPerNano = Math.max(bestPerNano, (double) count / Math.max(1, took.toNanos()));
            double wanted = bestPerNano * budget.turn().toNanos() * TURNS_PER_FLOOD;
            count = Math.max(LEAST_MESSAGES, (long) Math.min(wanted, count * LARGEST_STEP));
        }
        return count;
    }

    /** What is counted per second. */
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

package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.WorkerException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Measures the highest rate of each type of pipe without loss, smooth and in bursts. */
final class SendingRateSuite implements Suite {

    private static final int BYTES = 1 << 10;
    private static final int BURST_MESSAGES = 50;
    private static final double NANOS_PER_SECOND = 1e9;

    @Override
    public String name() {
        return "sending-rate";
    }

    @Override
    public String description() {
        return "Messages per second without loss by type of pipe, smooth and in bursts of 50.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(Paper.COSTS.experiment("figure 7"));
    }

    @Override
    public List<String> contenderNames() {
        return List.of(
                "parley-pipe-tls",
                "parley-pipe-secure",
                "parley-pipe-secure-tls",
                "parley-pipe-encrypted-tls",
                "parley-pipe-checksum-tls",
                "parley-topic-tls",
                "jxta-pipe",
                "jxta-pipe-secure");
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        List<Integer> sizes = context.budget().isTiny() ? List.of(BYTES) : List.of(BYTES, 10 << 10);
        ThroughputSuite smooth = new ThroughputSuite(
                name(),
                description(),
                "Types of pipes, one way: messages per second",
                paperExperiments(),
                sizes,
                ThroughputSuite.Unit.MESSAGES);
        try (ProcessPairPool pairs = new ProcessPairPool(context)) {
            return List.of(
                    smooth.measure(context, pairs).with(JxtaCostStudy.SENDING_RATE_NOTE, JxtaCostStudy.sendingRates()),
                    bursts(context, pairs));
        }
    }

    private Experiment bursts(SuiteContext context, ProcessPairPool pairs) throws IOException, InterruptedException {
        RoundResults results = new RoundResults();
        pairs.runRounds("bursts", (contender, pair, round) -> {
            pair.prepare(BYTES);
            if (round == 0) {
                FloodWarmUp.run(context.budget(), BYTES, pair::flood);
            }
            results.add(round, key(contender), measure(context.budget(), pair));
        });
        return new Experiment(
                name(),
                "sending-bursts",
                "Types of pipes, in bursts of 50: messages per second within a burst",
                "A burst is %d messages of 1 KB, sent as fast as back-pressure allows. Its time ends when the receiver confirms"
                                .formatted(BURST_MESSAGES)
                        + " that all have arrived, so that a lost message fails the round. Before each burst both sides are idle"
                        + " for %d ms. ".formatted(pause(context.budget()).toMillis())
                        + Suites.rounds(context),
                "rate",
                "messages/s",
                Experiment.Better.MORE,
                Experiment.Chart.BARS,
                results.figures(context.contenders()));
    }

    private static RoundResults.Key key(Contender contender) {
        return new RoundResults.Key(contender.name(), "", BYTES);
    }

    private static RoundResults.Entry measure(TimeBudget budget, ProcessPair pair)
            throws WorkerException, InterruptedException {
        int bursts = budget.isTiny() ? 1 : 4;
        long nanos = 0;
        for (int burst = 0; burst < bursts; burst++) {
            TimeUnit.NANOSECONDS.sleep(pause(budget).toNanos());
            nanos += pair.flood(BURST_MESSAGES).toNanos();
        }
        long messages = (long) bursts * BURST_MESSAGES;
        return new RoundResults.Entry(messages * NANOS_PER_SECOND / nanos, Map.of(), messages);
    }

    /** Returns the time between two bursts: that of the paper, if there is time. */
    private static Duration pause(TimeBudget budget) {
        return Duration.ofMillis(budget.isFull() ? 500 : budget.isTiny() ? 1 : 50);
    }
}

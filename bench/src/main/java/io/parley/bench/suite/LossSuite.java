package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.ProcessPair.LossCount;
import io.parley.bench.worker.WorkerException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures how many messages are lost at constant rates, by pipes and topics that drop messages instead of stopping the sender. */
final class LossSuite implements Suite {

    private static final int BYTES = 1 << 10;
    private static final List<Integer> RATES = List.of(20, 200, 10_000, 100_000, 1_000_000);
    private static final long MIN_MESSAGES = 20;
    private static final String SENT = "sent";
    private static final String ARRIVED = "arrived";

    @Override
    public String name() {
        return "loss";
    }

    @Override
    public String description() {
        return "Lost messages of 1 KB at 20 to 1,000,000 messages per second, with best effort.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(Paper.COSTS.experiment("loss of propagate pipes (text)"));
    }

    @Override
    public List<String> contenderNames() {
        return List.of("parley-pipe-best-effort-tls", "parley-topic-dropping-tls");
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        RoundResults results = new RoundResults();
        try (ProcessPairPool pairs = new ProcessPairPool(context)) {
            for (int perSecond : rates(context.budget())) {
                pairs.runRounds(label(perSecond) + ", attempted", (contender, pair, round) -> {
                    if (round == 0) {
                        warmUp(context.budget(), pair);
                        return;
                    }
                    results.add(round, key(contender, perSecond), measure(context.budget(), pair, perSecond));
                });
            }
        }
        return List.of(new Experiment(
                        name(),
                        name(),
                        "Loss with best effort over the attempted rate",
                        "A thread of the application sends each message when it is due and does not wait for room. A full queue"
                                + " drops its oldest messages; those that arrive are intact and in order. "
                                + Suites.rounds(context),
                        "lost",
                        "%",
                        Map.of(SENT, "messages/s", ARRIVED, "messages"),
                        Experiment.Better.LESS,
                        Experiment.Chart.BARS_BY_FORM,
                        results.figures(context.contenders()))
                .with(JxtaCostStudy.LOSS_NOTE, JxtaCostStudy.losses()));
    }

    /** Returns the form of a rate in results. */
    static String label(int perSecond) {
        return "%,d/s".formatted(perSecond);
    }

    private static RoundResults.Key key(Contender contender, int perSecond) {
        return new RoundResults.Key(contender.name(), label(perSecond), BYTES);
    }

    private static RoundResults.Entry measure(TimeBudget budget, ProcessPair pair, int perSecond)
            throws WorkerException, InterruptedException {
        LossCount count = pair.attempt(BYTES, perSecond, messages(budget, perSecond));
        Map<String, Double> parts = new LinkedHashMap<>();
        parts.put(SENT, count.sentPerSecond());
        parts.put(ARRIVED, (double) count.arrived());
        return new RoundResults.Entry(count.percent(), parts, count.sent());
    }

    /** Sends at the highest rate, so that the code is compiled. */
    private static void warmUp(TimeBudget budget, ProcessPair pair) throws WorkerException, InterruptedException {
        int perSecond = RATES.get(RATES.size() - 1);
        pair.attempt(BYTES, perSecond, Math.max(1, perSecond * budget.warmUp().toMillis() / 1000));
    }

    private static long messages(TimeBudget budget, int perSecond) {
        if (budget.isTiny()) {
            return budget.counted();
        }
        return Math.max(MIN_MESSAGES, perSecond * budget.turn().toMillis() / 1000);
    }

    private static List<Integer> rates(TimeBudget budget) {
        return budget.isTiny() ? List.of(10_000) : RATES;
    }
}

package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.WaitMode;
import io.parley.bench.worker.WorkerException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures the heap bytes that both sides allocate per message. */
final class AllocationSuite implements Suite {

    private static final int BYTES = 1 << 10;
    private static final int TURNS = 10;
    private static final String METHOD =
            "Heap bytes allocated by all live threads of both processes, per message of 1 KB. Memory outside the"
                    + " heap, which Netty reuses, is not included. ";

    @Override
    public String name() {
        return "allocation";
    }

    @Override
    public String description() {
        return "Heap bytes that sender and receiver allocate per message of 1 KB.";
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        RoundResults roundTrips = new RoundResults();
        RoundResults oneWay = new RoundResults();
        long messages = context.budget().counted();
        try (ProcessPairPool pairs = new ProcessPairPool(context)) {
            pairs.runRounds("allocation", (contender, pair, round) -> {
                pair.prepare(BYTES);
                WaitMode form = contender.eventDriven() ? WaitMode.EVENT : WaitMode.CALLER;
                roundTrips.add(
                        round,
                        key(contender, form.label()),
                        measure(pair, () -> roundTrips(context.budget(), pair, form)));
                oneWay.add(round, key(contender, ""), measure(pair, () -> flood(pair, messages)));
            });
        }
        return List.of(
                experiment(
                        context,
                        roundTrips,
                        "allocation-round-trip",
                        "Allocation per round trip of 1 KB",
                        METHOD + "One round trip is two messages. "),
                experiment(context, oneWay, "allocation-one-way", "Allocation per message of 1 KB, one way", METHOD));
    }

    private static RoundResults.Key key(Contender contender, String form) {
        return new RoundResults.Key(contender.name(), form, BYTES);
    }

    /**
     * Measures round trips. Returns their number, which is smaller for a slow contender because the time is limited.
     */
    private static long roundTrips(TimeBudget budget, ProcessPair pair, WaitMode form)
            throws WorkerException, InterruptedException {
        return pair.roundTrips(form, budget.turn().multipliedBy(TURNS), budget.counted())
                .count();
    }

    private static long flood(ProcessPair pair, long messages) throws WorkerException, InterruptedException {
        pair.flood(messages);
        return messages;
    }

    private static RoundResults.Entry measure(ProcessPair pair, Action action)
            throws WorkerException, InterruptedException {
        long client = pair.clientAllocated();
        long server = pair.serverAllocated();
        long messages = action.run();
        double clientBytes = (double) (pair.clientAllocated() - client) / messages;
        double serverBytes = (double) (pair.serverAllocated() - server) / messages;
        Map<String, Double> parts = new LinkedHashMap<>();
        parts.put("connecting side", clientBytes);
        parts.put("serving side", serverBytes);
        return new RoundResults.Entry(clientBytes + serverBytes, parts, messages);
    }

    private Experiment experiment(
            SuiteContext context, RoundResults results, String id, String question, String method) {
        return new Experiment(
                name(),
                id,
                question,
                method + Suites.rounds(context),
                "both sides",
                "B",
                Experiment.Better.LESS,
                Experiment.Chart.BARS,
                results.figures(context.contenders()));
    }

    private interface Action {
        /** Runs the measurement and returns the number of messages or round trips. */
        long run() throws WorkerException, InterruptedException;
    }
}

package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.WaitMode;
import io.parley.bench.worker.WorkerException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Heap bytes that both sides allocate for a message. */
final class AllocationSuite implements Suite {

    private static final int BYTES = 1 << 10;
    private static final int TURNS = 10;
    private static final String METHOD =
            "Bytes of heap allocated by all live threads of both processes, per message of 1 KB; memory outside the"
                    + " heap, which Netty reuses, is not in it. ";

    @Override
    public String name() {
        return "allocation";
    }

    @Override
    public String sentence() {
        return "How many heap bytes sender and receiver allocate for one message of 1 KB.";
    }

    @Override
    public List<Experiment> run(SuiteContext session) throws Exception {
        RoundResults roundTrips = new RoundResults();
        RoundResults oneWay = new RoundResults();
        long messages = session.budget().counted();
        try (ProcessPairPool pairs = new ProcessPairPool(session)) {
            pairs.takeTurns("allocation", (contender, pair, round) -> {
                pair.prepare(BYTES);
                WaitMode form = contender.eventDriven() ? WaitMode.EVENT : WaitMode.CALLER;
                roundTrips.note(
                        round,
                        key(contender, form.label()),
                        measure(pair, () -> roundTrips(session.budget(), pair, form)));
                oneWay.note(round, key(contender, ""), measure(pair, () -> flood(pair, messages)));
            });
        }
        return List.of(
                experiment(
                        session,
                        roundTrips,
                        "allocation-round-trip",
                        "Allocation per round trip of 1 KB",
                        METHOD + "One round trip is two messages. "),
                experiment(session, oneWay, "allocation-one-way", "Allocation per message of 1 KB, one way", METHOD));
    }

    private static RoundResults.Key key(Contender contender, String form) {
        return new RoundResults.Key(contender.name(), form, BYTES);
    }

    /** A slow contender makes as many as it can in the time. */
    private static long roundTrips(TimeBudget budget, ProcessPair pair, WaitMode form)
            throws WorkerException, InterruptedException {
        long recorded = pair.roundTrips(form, budget.turn().multipliedBy(TURNS), budget.counted())
                .getTotalCount();
        return form == WaitMode.EVENT
                ? recorded + 1
                : recorded; // the first, which a thread of ours sent, is not recorded
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

    private Experiment experiment(SuiteContext session, RoundResults board, String id, String question, String method) {
        return new Experiment(
                name(),
                id,
                question,
                method + Suites.rounds(session),
                "both sides",
                "B",
                Experiment.Better.LESS,
                Experiment.Chart.BARS,
                board.figures(session.contenders()));
    }

    private interface Action {
        /** Returns how many it made. */
        long run() throws WorkerException, InterruptedException;
    }
}

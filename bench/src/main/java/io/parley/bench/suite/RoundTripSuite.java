package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.SizeFormatter;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.WaitMode;
import io.parley.bench.worker.WorkerException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Ping-pong over all sizes, in both forms. */
final class RoundTripSuite implements Suite {

    private static final double NANOS_PER_MICRO = 1e3;
    private static final Map<String, Double> PERCENTILES = percentiles();

    private static Map<String, Double> percentiles() {
        Map<String, Double> percentiles = new LinkedHashMap<>();
        percentiles.put("p50", 50.0);
        percentiles.put("p90", 90.0);
        percentiles.put("p99", 99.0);
        percentiles.put("p99.9", 99.9);
        percentiles.put("max", 100.0);
        return percentiles;
    }

    @Override
    public String name() {
        return "rtt";
    }

    @Override
    public String sentence() {
        return "How long a message of 64 B to 16 MB takes there and back, event-driven and with a blocking caller.";
    }

    @Override
    public List<Experiment> run(SuiteContext session) throws Exception {
        RoundResults event = new RoundResults();
        RoundResults caller = new RoundResults();
        try (ProcessPairPool pairs = new ProcessPairPool(session)) {
            for (int bytes : session.budget().roundTripBytes()) {
                pairs.takeTurns("round trips of " + SizeFormatter.text(bytes), (contender, pair, round) -> {
                    pair.prepare(bytes);
                    RoundResults.Entry blocking = measure(session, pair, WaitMode.CALLER, round);
                    RoundResults.Key blockingKey = key(contender, WaitMode.CALLER, bytes);
                    caller.note(round, blockingKey, blocking);
                    if (contender.eventDriven()) {
                        event.note(
                                round,
                                key(contender, WaitMode.EVENT, bytes),
                                measure(session, pair, WaitMode.EVENT, round));
                    } else {
                        event.note(round, blockingKey, blocking);
                    }
                });
            }
        }
        return List.of(
                experiment(
                        session,
                        event,
                        "rtt-event",
                        "Round trip time, event-driven",
                        "The next message is sent from the callback that got the reply. Stacks without callbacks are"
                                + " shown with a blocking caller."),
                experiment(
                        session,
                        caller,
                        "rtt-caller",
                        "Round trip time, blocking caller",
                        "A thread of the caller sends, blocks until the reply is there, and sends again: with an"
                                + " event loop underneath, that wakes one thread more per round trip."));
    }

    /** Where a turn is noted. */
    static RoundResults.Key key(Contender contender, WaitMode form, int bytes) {
        return new RoundResults.Key(contender.name(), form.label(), bytes);
    }

    /** One turn, which is longer in the warm-up. */
    static RoundResults.Entry measure(SuiteContext session, ProcessPair pair, WaitMode form, int round)
            throws WorkerException, InterruptedException {
        TimeBudget budget = session.budget();
        Duration turn = round == 0 ? budget.warmUp() : budget.turn();
        Histogram histogram = pair.roundTrips(form, turn, budget.mostRoundTrips());
        Map<String, Double> parts = new LinkedHashMap<>();
        PERCENTILES.forEach(
                (name, percentile) -> parts.put(name, histogram.getValueAtPercentile(percentile) / NANOS_PER_MICRO));
        return new RoundResults.Entry(
                histogram.getValueAtPercentile(50) / NANOS_PER_MICRO, parts, histogram.getTotalCount());
    }

    private Experiment experiment(SuiteContext session, RoundResults board, String id, String question, String method) {
        return new Experiment(
                name(),
                id,
                question,
                method + " " + Suites.rounds(session),
                "p50",
                "µs",
                Experiment.Better.LESS,
                Experiment.Chart.LINES,
                board.figures(session.contenders()));
    }
}

package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.SizeFormatter;
import io.parley.bench.worker.CpuTime;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.WaitMode;
import io.parley.bench.worker.WorkerException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Measures round trips of all message sizes, in both wait modes. */
final class RoundTripSuite implements Suite {

    private static final double NANOS_PER_MICRO = 1e3;

    /** The time without a shorter median after which a contender is warm, and the limit of that, in warm-up times of the budget. */
    private static final int STEADY_WARM_UPS = 3;

    private static final int MAX_WARM_UPS = 30;

    /** A median that is smaller by less than that is not shorter. */
    private static final double STEADY_RATIO = 0.97;

    /** The units of the parts that {@link #measure} adds for the processor time. */
    static final Map<String, String> CPU_UNITS = CpuCost.units("µs per round trip");

    @Override
    public String name() {
        return "rtt";
    }

    @Override
    public String description() {
        return "Round-trip time of a message of 64 B to 16 MB, event-driven and with a blocking caller.";
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        RoundResults event = new RoundResults();
        RoundResults caller = new RoundResults();
        try (ProcessPairPool pairs = new ProcessPairPool(context)) {
            for (int bytes : context.budget().roundTripBytes()) {
                pairs.runRounds("round trips of " + SizeFormatter.text(bytes), (contender, pair, round) -> {
                    pair.prepare(bytes);
                    RoundResults.Entry blocking = measure(context, pair, WaitMode.CALLER, round);
                    RoundResults.Key blockingKey = key(contender, WaitMode.CALLER, bytes);
                    caller.add(round, blockingKey, blocking);
                    if (contender.eventDriven()) {
                        event.add(
                                round,
                                key(contender, WaitMode.EVENT, bytes),
                                measure(context, pair, WaitMode.EVENT, round));
                    } else {
                        event.add(round, blockingKey, blocking);
                    }
                });
            }
        }
        return List.of(
                experiment(
                        context,
                        event,
                        "rtt-event",
                        "Round trip time, event-driven",
                        "The next message is sent from the callback that received the reply. Stacks without callbacks"
                                + " are shown with a blocking caller."),
                experiment(
                        context,
                        caller,
                        "rtt-caller",
                        "Round trip time, blocking caller",
                        "A thread of the caller sends, blocks until the reply arrives, and sends again. With an"
                                + " event loop, this wakes one more thread per round trip."));
    }

    /** Returns the key of a measurement. */
    static RoundResults.Key key(Contender contender, WaitMode form, int bytes) {
        return new RoundResults.Key(contender.name(), form.label(), bytes);
    }

    /** Measures one turn, after the warm-up in round 0. */
    static RoundResults.Entry measure(SuiteContext context, ProcessPair pair, WaitMode form, int round)
            throws WorkerException, InterruptedException {
        TimeBudget budget = context.budget();
        if (round == 0) {
            warmUp(budget, pair, form);
        }
        CpuTime start = pair.cpuTime();
        Histogram histogram = pair.roundTrips(form, budget.turn(), budget.maxRoundTrips());
        CpuCost cpu = CpuCost.since(start, pair);
        Map<String, Double> parts = LatencyParts.of(histogram);
        parts.putAll(cpu.parts(count(form, histogram), NANOS_PER_MICRO));
        return new RoundResults.Entry(LatencyParts.micros(histogram, 50), parts, histogram.getTotalCount());
    }

    /**
     * Repeats turns until the median no longer falls. With both processes on one slow processor, the compilers need several times as
     * long as with one each, and a fixed time measured them.
     */
    private static void warmUp(TimeBudget budget, ProcessPair pair, WaitMode form)
            throws WorkerException, InterruptedException {
        Duration turn = budget.warmUp().dividedBy(2);
        int steady = 0;
        double best = Double.POSITIVE_INFINITY;
        for (int turns = 0; steady < 2 * STEADY_WARM_UPS && turns < 2 * MAX_WARM_UPS; turns++) {
            double median = pair.roundTrips(form, turn, budget.maxRoundTrips()).getValueAtPercentile(50);
            steady = median < best * STEADY_RATIO ? 0 : steady + 1;
            best = Math.min(best, median);
        }
    }

    /** Returns the number of round trips of a turn. EVENT does not record the first, which a benchmark thread starts. */
    static long count(WaitMode form, Histogram histogram) {
        return form == WaitMode.EVENT ? histogram.getTotalCount() + 1 : histogram.getTotalCount();
    }

    private Experiment experiment(SuiteContext context, RoundResults results, String id, String title, String method) {
        return new Experiment(
                name(),
                id,
                title,
                method + " " + Suites.rounds(context) + CpuCost.METHOD,
                "p50",
                "µs",
                CPU_UNITS,
                Experiment.Better.LESS,
                Experiment.Chart.LINES,
                results.figures(context.contenders()));
    }
}

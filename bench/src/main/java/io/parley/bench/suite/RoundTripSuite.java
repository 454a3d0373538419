package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.SizeFormatter;
import io.parley.bench.worker.CpuTime;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.ProcessPair.RoundTrips;
import io.parley.bench.worker.WaitMode;
import io.parley.bench.worker.WorkerException;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Measures round trips of all message sizes, in both wait modes. */
final class RoundTripSuite implements Suite {

    private static final double NANOS_PER_MICRO = 1e3;

    /** The units of the parts that {@link #measure} adds for the processor time. */
    static final Map<String, String> CPU_UNITS = CpuCost.units("µs per round trip");

    @Override
    public String name() {
        return "rtt";
    }

    @Override
    public String description() {
        return "Round-trip time of a message of 1 B to 16 MB, event-driven and with a blocking caller.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(
                Paper.COSTS.experiment("figure 4"),
                Paper.COSTS.experiment("figure 5, without relays"),
                Paper.CONVERGENCE.experiment("table 1"));
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
            WarmUp.run(
                    budget,
                    time -> pair.roundTrips(form, time, budget.maxRoundTrips())
                            .times()
                            .getValueAtPercentile(50));
        }
        CpuTime start = pair.cpuTime();
        RoundTrips measured = pair.roundTrips(form, budget.turn(), budget.maxRoundTrips());
        CpuCost cpu = CpuCost.since(start, pair);
        Histogram histogram = measured.times();
        Map<String, Double> parts = LatencyParts.of(histogram);
        parts.putAll(cpu.parts(measured.count(), NANOS_PER_MICRO));
        return new RoundResults.Entry(LatencyParts.micros(histogram, 50), parts, histogram.getTotalCount());
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

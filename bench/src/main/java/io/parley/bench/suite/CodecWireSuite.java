package io.parley.bench.suite;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.SizeFormatter;
import io.parley.bench.worker.WaitMode;
import java.util.ArrayList;
import java.util.List;

/** Measures unicast pipes with each message format, end to end. */
final class CodecWireSuite implements Suite {

    private static final List<Integer> BYTES =
            List.of(1, 16, 256, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 512 << 10, 4 << 20);
    private static final List<Integer> QUICK_BYTES = List.of(1, 4 << 10, 64 << 10, 512 << 10, 4 << 20);
    private static final List<Integer> TINY_BYTES = List.of(1, 64 << 10);

    @Override
    public String name() {
        return "codec-wire";
    }

    @Override
    public String description() {
        return "Round trips and throughput of pipes with each message format, for payloads of 1 B to 4 MB.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(Paper.SUBSTRATE.experiment("figure 3b"));
    }

    @Override
    public List<String> contenderNames() {
        return List.of("parley-pipe", "parley-pipe-xml", "parley-pipe-fastinfoset");
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        if (context.contenders().isEmpty()) {
            return List.of(); // only other contenders were requested
        }
        List<Integer> sizes = sizes(context.budget());
        List<Experiment> experiments = new ArrayList<>(List.of(roundTrips(context, sizes)));
        experiments.addAll(new ThroughputSuite(
                        name(),
                        description(),
                        "Message formats, one way: megabytes per second",
                        paperExperiments(),
                        sizes,
                        ThroughputSuite.Unit.MEGABYTES)
                .run(context));
        return experiments;
    }

    private static List<Integer> sizes(TimeBudget budget) {
        return budget.isFull() ? BYTES : budget.isTiny() ? TINY_BYTES : QUICK_BYTES;
    }

    private Experiment roundTrips(SuiteContext context, List<Integer> sizes) throws Exception {
        RoundResults results = new RoundResults();
        try (ProcessPairPool pairs = new ProcessPairPool(context)) {
            for (int bytes : sizes) {
                pairs.runRounds("round trips of " + SizeFormatter.text(bytes), (contender, pair, round) -> {
                    pair.prepare(bytes);
                    results.add(
                            round,
                            RoundTripSuite.key(contender, WaitMode.EVENT, bytes),
                            RoundTripSuite.measure(context, pair, WaitMode.EVENT, round));
                });
            }
        }
        return new Experiment(
                name(),
                "codec-wire-rtt",
                "Message formats: round trip time, event-driven",
                "Each message has one element of bytes, in base64 in the XML format. The next message is sent from the"
                        + " callback that received the reply. "
                        + Suites.rounds(context)
                        + CpuCost.METHOD,
                "p50",
                "µs",
                RoundTripSuite.CPU_UNITS,
                Experiment.Better.LESS,
                Experiment.Chart.LINES,
                results.figures(context.contenders()));
    }
}

package io.parley.bench.suite;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.SizeFormatter;
import io.parley.bench.worker.WaitMode;
import java.util.ArrayList;
import java.util.List;

/** Unicast pipes with one message format and another, end to end. */
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
    public String sentence() {
        return "Round trips and throughput of pipes with each message format, from 1 B to 4 MB of bytes.";
    }

    @Override
    public List<String> about() {
        return List.of("parley-pipe", "parley-pipe-xml", "parley-pipe-fastinfoset");
    }

    @Override
    public List<Experiment> run(SuiteContext session) throws Exception {
        if (session.contenders().isEmpty()) {
            return List.of(); // others were asked for
        }
        List<Integer> sizes = sizes(session.budget());
        List<Experiment> experiments = new ArrayList<>(List.of(roundTrips(session, sizes)));
        experiments.addAll(new ThroughputSuite(
                        name(),
                        sentence(),
                        "Message formats, one way: megabytes per second",
                        sizes,
                        ThroughputSuite.Unit.MEGABYTES)
                .run(session));
        return experiments;
    }

    private static List<Integer> sizes(TimeBudget budget) {
        return budget.isFull() ? BYTES : budget.isTiny() ? TINY_BYTES : QUICK_BYTES;
    }

    private Experiment roundTrips(SuiteContext session, List<Integer> sizes) throws Exception {
        RoundResults board = new RoundResults();
        try (ProcessPairPool pairs = new ProcessPairPool(session)) {
            for (int bytes : sizes) {
                pairs.takeTurns("round trips of " + SizeFormatter.text(bytes), (contender, pair, round) -> {
                    pair.prepare(bytes);
                    board.note(
                            round,
                            RoundTripSuite.key(contender, WaitMode.EVENT, bytes),
                            RoundTripSuite.measure(session, pair, WaitMode.EVENT, round));
                });
            }
        }
        return new Experiment(
                name(),
                "codec-wire-rtt",
                "Message formats: round trip time, event-driven",
                "One element of bytes in each message, in the XML format as base64. The next message is sent from the"
                        + " callback that got the reply. "
                        + Suites.rounds(session),
                "p50",
                "µs",
                Experiment.Better.LESS,
                Experiment.Chart.LINES,
                board.figures(session.contenders()));
    }
}

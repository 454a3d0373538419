package io.parley.bench.suite;

import java.util.List;

/** All suites, in the order of the report. */
public final class Suites {

    private static final List<Integer> RATE_BYTES = List.of(64, 1 << 10);
    private static final List<Integer> THROUGHPUT_BYTES = List.of(64 << 10, 1 << 20, 16 << 20);

    private Suites() {}

    /** Returns all suites. */
    public static List<Suite> all() {
        return List.of(
                new RoundTripSuite(),
                new CompositionSuite(),
                new ThroughputSuite(
                        "rate",
                        "Small messages per second in one direction.",
                        "One way: messages per second",
                        List.of(Paper.COSTS.experiment("figure 7, smooth")),
                        RATE_BYTES,
                        ThroughputSuite.Unit.MESSAGES),
                new ThroughputSuite(
                        "throughput",
                        "Bytes per second in one direction, in large messages.",
                        "One way: megabytes per second",
                        List.of(Paper.CONVERGENCE.experiment("figure 1"), Paper.COSTS.experiment("figure 8")),
                        THROUGHPUT_BYTES,
                        ThroughputSuite.Unit.MEGABYTES),
                new SendingRateSuite(),
                new LossSuite(),
                new RequestsSuite(),
                new PacedSuite(),
                new RelaySuite(),
                new ConnectionsSuite(),
                new FanOutSuite(),
                new FirstSecondSuite(),
                new AllocationSuite(),
                new WireSuite(),
                new NetPipeSuite(),
                new SocketsSuite(),
                new CodecWireSuite(),
                new CodecSuite(),
                new CompressionSuite(),
                new JmhSuite(),
                new OperationsSuite(),
                new BootSuite(),
                new RendezvousSuite(),
                new GroupsSuite(),
                new DensitySuite());
    }

    /** Returns the sentence that describes the rounds, for each chart that shows spreads. */
    static String rounds(SuiteContext context) {
        return ("Contenders take turns in %d rounds after a warm-up."
                        + " The figure is the median over the rounds, with the range.")
                .formatted(context.budget().rounds());
    }
}

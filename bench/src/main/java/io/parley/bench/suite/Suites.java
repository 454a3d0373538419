package io.parley.bench.suite;

import java.util.List;

/** All suites, in the order of the report. */
public final class Suites {

    private static final List<Integer> RATE_BYTES = List.of(64, 1 << 10);
    private static final List<Integer> THROUGHPUT_BYTES = List.of(64 << 10, 1 << 20, 16 << 20);

    private Suites() {}

    /** All of them. */
    public static List<Suite> all() {
        return List.of(
                new RoundTripSuite(),
                new ThroughputSuite(
                        "rate",
                        "How many small messages flow one way in a second.",
                        "One way: messages per second",
                        RATE_BYTES,
                        ThroughputSuite.Unit.MESSAGES),
                new ThroughputSuite(
                        "throughput",
                        "How many bytes flow one way in a second, in large messages.",
                        "One way: megabytes per second",
                        THROUGHPUT_BYTES,
                        ThroughputSuite.Unit.MEGABYTES),
                new AllocationSuite(),
                new WireSuite(),
                new CodecWireSuite(),
                new CodecSuite(),
                new JmhSuite(),
                new OperationsSuite(),
                new BootSuite(),
                new RendezvousSuite());
    }

    /** The sentence under each chart that shows spreads. */
    static String rounds(SuiteContext session) {
        return "Contenders take turns, %d rounds after a warm-up; shown is the median over the rounds, with the range."
                .formatted(session.budget().rounds());
    }
}

package io.parley.bench.check;

import io.parley.bench.result.Results;
import java.util.Collections;
import java.util.List;

/** All performance targets of Parley. */
public final class Targets {

    private static final int KIB = 1024;
    private static final int MIB = 1 << 20;

    private static final FigureKey ENDPOINT = roundTrip("parley-endpoint");
    private static final FigureKey ENDPOINT_TLS = roundTrip("parley-endpoint-tls");
    private static final FigureKey PIPE = roundTrip("parley-pipe");
    private static final FigureKey PIPE_TLS = roundTrip("parley-pipe-tls");

    static final List<Target> ALL = List.of(
            Target.ratioAtMost(1.15, ENDPOINT, "netty-spin"),
            Target.ratioAtMost(1.25, PIPE, "netty-spin"),
            Target.ratioAtMost(1.15, ENDPOINT_TLS, "netty-tls-spin"),
            Target.ratioAtMost(1.25, PIPE_TLS, "netty-tls-spin"),
            Target.cpuRatioAtMost(1.15, ENDPOINT, "netty-spin"),
            Target.cpuRatioAtMost(1.25, PIPE, "netty-spin"),
            Target.cpuRatioAtMost(1.15, ENDPOINT_TLS, "netty-tls-spin"),
            Target.cpuRatioAtMost(1.25, PIPE_TLS, "netty-tls-spin"),
            Target.ratioAtMost(0.125, PIPE, "jxta-pipe"),
            Target.ratioAtLeast(0.85, new FigureKey("throughput", "parley-pipe-borrowed", "", 64 * KIB), "netty"),
            Target.ratioAtLeast(0.85, new FigureKey("throughput", "parley-pipe-borrowed", "", MIB), "netty"),
            Target.ratioAtLeast(0.85, new FigureKey("throughput", "parley-pipe-borrowed", "", 16 * MIB), "netty"),
            Target.atMost(300, new FigureKey("to-first-message", "parley, warm", "start to first message", 0)),
            Target.atMost(1500, new FigureKey("to-first-message", "parley, cold", "start to first message", 0)),
            Target.ratioAtMost(
                    0.1, new FigureKey("operations-rendezvous", "parley, warm", "all ten", 0), "jxta-2.5, warm"),
            Target.ratioAtMost(
                    1.2, new FigureKey("boot-time", "parley, 100,000", "until it has started", 0), "parley, none"),
            Target.atMost(100, new FigureKey("boot-look-up", "parley", "among 100,000", 0)),
            Target.atLeast(10_000, new FigureKey("rendezvous-finds", "parley", "questions", 0)));

    private Targets() {}

    private static FigureKey roundTrip(String contender) {
        return new FigureKey("rtt-event", contender, "event", KIB);
    }

    /**
     * The outcome of a check.
     *
     * @param lines one line for each target
     * @param measured the number of targets that were measured
     * @param unmet the number of targets that were missed, are open, or were not measured
     */
    public record Outcome(List<String> lines, int measured, int unmet) {}

    /** Compares each target with {@code results}. */
    public static Outcome check(Results results) {
        return check(ALL, results);
    }

    static Outcome check(List<Target> targets, Results results) {
        List<Verdict> verdicts =
                targets.stream().map(target -> target.verdict(results)).toList();
        return new Outcome(
                targets.stream().map(target -> target.line(results)).toList(),
                targets.size() - Collections.frequency(verdicts, Verdict.UNMEASURED),
                targets.size() - Collections.frequency(verdicts, Verdict.MET));
    }
}

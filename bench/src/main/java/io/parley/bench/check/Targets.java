package io.parley.bench.check;

import io.parley.bench.result.Results;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** All performance targets of Parley. */
public final class Targets {

    private static final int KIB = 1024;
    private static final int MIB = 1 << 20;

    static final List<Target> ALL = List.of(
            Target.ratioAtMost(1.15, new FigureKey("rtt-event", "parley-endpoint", "event", KIB), "netty"),
            Target.ratioAtMost(1.25, new FigureKey("rtt-event", "parley-pipe", "event", KIB), "netty"),
            Target.ratioAtMost(1.15, new FigureKey("rtt-event", "parley-endpoint-tls", "event", KIB), "netty-tls"),
            Target.ratioAtMost(1.25, new FigureKey("rtt-event", "parley-pipe-tls", "event", KIB), "netty-tls"),
            Target.ratioAtMost(0.125, new FigureKey("rtt-event", "parley-pipe", "event", KIB), "jxta-pipe"),
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

    /**
     * The outcome of a check.
     *
     * @param lines one line for each target that was measured
     * @param missed the number of measured targets that were missed
     */
    public record Verdict(List<String> lines, int missed) {}

    /** Checks each target that was measured in {@code results}. */
    public static Verdict check(Results results) {
        List<String> lines = new ArrayList<>();
        int missed = 0;
        for (Target target : ALL) {
            OptionalDouble measured = target.measured(results);
            if (measured.isPresent()) {
                missed += target.isMet(measured.getAsDouble()) ? 0 : 1;
                lines.add(target.verdict(measured.getAsDouble()));
            }
        }
        return new Verdict(lines, missed);
    }
}

package io.parley.bench.check;

import io.parley.bench.result.Results;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** All that is promised of speed. */
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
     * What was measured of it.
     *
     * @param sentences one for each target that was measured
     * @param missed how many of them were not held
     */
    public record Verdict(List<String> sentences, int missed) {}

    /** Looks at each of them that was measured. */
    public static Verdict judge(Results results) {
        List<String> sentences = new ArrayList<>();
        int missed = 0;
        for (Target target : ALL) {
            OptionalDouble measured = target.measured(results);
            if (measured.isPresent()) {
                missed += target.isHeld(measured.getAsDouble()) ? 0 : 1;
                sentences.add(target.verdict(measured.getAsDouble()));
            }
        }
        return new Verdict(sentences, missed);
    }
}

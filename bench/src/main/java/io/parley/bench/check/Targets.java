package io.parley.bench.check;

import io.parley.bench.result.Results;
import io.parley.bench.worker.Placement;
import io.parley.bench.workload.EmployeeFile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * All performance targets of Parley. Each names the ordinary contender, the comparator that waits and uses memory in the same
 * way, and the message size; a target of a round trip names the placement too.
 */
public final class Targets {

    private static final int KIB = 1024;
    private static final int MIB = 1 << 20;

    private static final double MAX_APART_RATIO = 1.10;
    private static final double MAX_TOGETHER_RATIO = 1.20;
    private static final double MAX_CPU_RATIO = 1.2;
    private static final double MAX_SECURE_CPU_RATIO = 1.05;

    /** For figures that should be equal: acknowledgements make the bytes of a message differ by a little between runs. */
    private static final double EQUAL = 1.02;

    /** The least throughput of a block size, as a part of that of the size before. */
    private static final double MIN_NEXT_SIZE_RATIO = 0.8;

    private static final int CLIFF_ROUNDS = 5;

    private static final String PIPE = "parley-pipe";
    private static final String PIPE_NO_SPIN = "parley-pipe-no-spin";
    private static final String PIPE_TLS = "parley-pipe-tls";
    private static final String PIPE_TLS_NO_SPIN = "parley-pipe-tls-no-spin";
    private static final String PIPE_SECURE = "parley-pipe-secure";
    private static final String PIPE_SECURE_TLS = "parley-pipe-secure-tls";
    private static final String PIPE_CHECKSUM_TLS = "parley-pipe-checksum-tls";
    private static final String PIPE_ENCRYPTED_TLS = "parley-pipe-encrypted-tls";
    private static final String TOPIC_TLS = "parley-topic-tls";
    private static final String NETTY_ARRAYS = "netty-arrays";
    private static final String NETTY_TLS_ARRAYS = "netty-tls-arrays";
    private static final String JXTA = "jxta-pipe";
    private static final String SOCKET = "parley-socket";
    private static final String JAVA_IO = "java-io";
    private static final String RETAINED = "fastinfoset-retained";

    static final List<Target> ALL = targets();

    private Targets() {}

    private static List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        roundTrips(targets, PIPE, "netty-spin");
        roundTrips(targets, PIPE_NO_SPIN, NETTY_ARRAYS);
        roundTrips(targets, PIPE_TLS, "netty-tls-spin");
        roundTrips(targets, PIPE_TLS_NO_SPIN, NETTY_TLS_ARRAYS);
        targets.add(Target.ratioAtMost(0.125, roundTrip(PIPE), JXTA));
        targets.add(Target.ratioAtMost(0.25, roundTrip(PIPE_NO_SPIN), JXTA));
        oneWay(targets);
        composition(targets);
        securePipes(targets);
        sendingRates(targets);
        fanOut(targets);
        requests(targets);
        formats(targets);
        peers(targets);
        sockets(targets);
        compression(targets);
        return List.copyOf(targets);
    }

    private static void roundTrips(List<Target> targets, String contender, String comparator) {
        FigureKey key = roundTrip(contender);
        targets.add(Target.ratioAtMost(MAX_APART_RATIO, key, comparator).in(Placement.APART));
        targets.add(Target.ratioAtMost(MAX_TOGETHER_RATIO, key, comparator).in(Placement.TOGETHER));
        targets.add(Target.cpuRatioAtMost(MAX_CPU_RATIO, key, comparator).in(Placement.APART));
        targets.add(Target.cpuRatioAtMost(MAX_CPU_RATIO, key, comparator).in(Placement.TOGETHER));
    }

    private static FigureKey roundTrip(String contender) {
        return new FigureKey("rtt-event", contender, "event", KIB);
    }

    private static void oneWay(List<Target> targets) {
        targets.add(Target.ratioAtLeast(0.7, oneWay(PIPE, 64), NETTY_ARRAYS));
        for (int bytes : List.of(KIB, 64 * KIB, MIB)) {
            targets.add(Target.ratioAtLeast(0.9, oneWay(PIPE, bytes), NETTY_ARRAYS));
        }
        for (int bytes : List.of(64, KIB, 64 * KIB, MIB)) {
            targets.add(Target.ratioAtLeast(0.85, oneWay(PIPE_TLS, bytes), NETTY_TLS_ARRAYS));
        }
        for (int bytes : List.of(KIB, 64 * KIB)) {
            targets.add(Target.ratioAtLeast(0.4, new FigureKey("first-second", PIPE, "", bytes), NETTY_ARRAYS));
        }
        targets.add(Target.atMost(1.5 * KIB, new FigureKey("allocation-one-way", PIPE, "", KIB)));
        targets.add(Target.atMost(48, new FigureKey("wire-overhead", PIPE, "", KIB)));
        targets.add(Target.atMost(76, new FigureKey("wire-overhead", PIPE_TLS, "", KIB)));
    }

    private static void composition(List<Target> targets) {
        for (String contender : List.of(PIPE, PIPE_TLS, PIPE_SECURE, PIPE_SECURE_TLS)) {
            targets.add(Target.atMost(1.2, new FigureKey("composition-cost", contender, "20 x 1 KB", 20 * KIB)));
        }
    }

    /** Over TLS a secure pipe costs nothing; over plain text it pays for TLS of its own. */
    private static void securePipes(List<Target> targets) {
        targets.add(Target.ratioAtMost(EQUAL, new FigureKey("wire-overhead", PIPE_SECURE_TLS, "", KIB), PIPE_TLS));
        targets.add(Target.cpuRatioAtMost(MAX_SECURE_CPU_RATIO, oneWay(PIPE_SECURE_TLS, KIB), PIPE_TLS));
        targets.add(Target.ratioAtLeast(0.7, oneWay(PIPE_SECURE, KIB), PIPE_TLS));
        for (Placement placement : List.of(Placement.APART, Placement.TOGETHER)) {
            targets.add(Target.cpuRatioAtMost(MAX_SECURE_CPU_RATIO, roundTrip(PIPE_SECURE_TLS), PIPE_TLS)
                    .in(placement));
            targets.add(
                    Target.ratioAtMost(1.3, roundTrip(PIPE_SECURE), PIPE_TLS).in(placement));
        }
    }

    /** A round in which a message is lost has no figure. */
    private static void sendingRates(List<Target> targets) {
        for (String contender : List.of(PIPE_SECURE_TLS, PIPE_CHECKSUM_TLS, PIPE_ENCRYPTED_TLS, TOPIC_TLS)) {
            for (String experiment : List.of("sending-rate", "sending-bursts")) {
                targets.add(Target.ratioAtLeast(0.8, new FigureKey(experiment, contender, "", KIB), PIPE_TLS));
            }
        }
    }

    private static void fanOut(List<Target> targets) {
        targets.add(
                Target.ratioAtLeast(0.6, new FigureKey("fan-out", TOPIC_TLS, "50 receivers", KIB), "netty-fanout-tls"));
        targets.add(Target.atLeast(0.95, new FigureKey("fan-out-stopped", TOPIC_TLS, "10 receivers", KIB)));
    }

    private static void requests(List<Target> targets) {
        for (String suffix : List.of("", "-executor")) {
            FigureKey key = new FigureKey("requests", "parley-request" + suffix, "64 pending", KIB);
            targets.add(Target.ratioAtLeast(1.0, key, "grpc" + suffix));
        }
        targets.add(Target.ratioAtMost(1.3, roundTrip("parley-request"), PIPE_TLS_NO_SPIN)
                .in(Placement.APART));
    }

    private static FigureKey oneWay(String contender, int bytes) {
        return new FigureKey(bytes < 64 * KIB ? "rate" : "throughput", contender, "", bytes);
    }

    private static void sockets(List<Target> targets) {
        for (int bytes : List.of(16 * KIB, 64 * KIB, 256 * KIB)) {
            FigureKey stream = new FigureKey("sockets-stream", SOCKET, "", bytes);
            targets.add(Target.ratioAtLeast(0.7, stream, JAVA_IO));
            targets.add(Target.ratioAtLeast(10, stream, "jxta-socket"));
            FigureKey tls = new FigureKey("sockets-stream", SOCKET + "-tls", "", bytes);
            targets.add(Target.ratioAtLeast(0.85, tls, "netty-stream-tls"));
        }
        for (String contender : List.of(SOCKET, SOCKET + "-no-spin")) {
            FigureKey request = new FigureKey("sockets-requests", contender, "", KIB);
            targets.add(Target.ratioAtMost(1.4, request, JAVA_IO).in(Placement.APART));
        }
        for (String contender : List.of(SOCKET, "parley-stream-pipe")) {
            FigureKey fall = new FigureKey("netpipe-cliffs", contender, "", 0);
            targets.add(Target.atLeast(MIN_NEXT_SIZE_RATIO, fall).byMediansOf(CLIFF_ROUNDS));
        }
    }

    private static void formats(List<Target> targets) {
        targets.add(Target.ratioAtMost(0.25, new FigureKey("codec-size", RETAINED, "small-xml", 0), "xml"));
        targets.add(Target.ratioAtMost(0.75, new FigureKey("codec-size", RETAINED, "employees-50", 0), "xml"));
        targets.add(Target.ratioAtMost(0.5, new FigureKey("codec-encode-time", RETAINED, "small-xml", 0), "xml"));
        targets.add(
                Target.ratioAtMost(0.25, new FigureKey("codec-decode-time", RETAINED, "small-xml", 0), "xml-aalto"));
    }

    /** The rebuilt files of the paper become up to 0.4 % larger with gzip than its own, by the same program. */
    private static void compression(List<Target> targets) {
        for (int records : EmployeeFile.records()) {
            int bytes = EmployeeFile.bytes(records);
            targets.add(sizeAtMost(1.01, "gzip", bytes));
            targets.add(sizeAtMost(1.0, "treechop", bytes));
            targets.add(sizeAtMost(1.0, "xmlppm", bytes));
        }
    }

    private static Target sizeAtMost(double limit, String scheme, int bytes) {
        FigureKey key = new FigureKey("compression-size", scheme, "", bytes);
        return Target.ratioAtMost(limit, key, "jxta-2.3 " + scheme + ", paper").exact();
    }

    private static void peers(List<Target> targets) {
        targets.add(Target.atMost(300, new FigureKey("to-first-message", "parley, warm", "start to first message", 0)));
        targets.add(
                Target.atMost(1500, new FigureKey("to-first-message", "parley, cold", "start to first message", 0)));
        targets.add(Target.ratioAtMost(
                0.1, new FigureKey("operations-rendezvous", "parley, warm", "all ten", 0), "jxta-2.5, warm"));
        targets.add(Target.ratioAtMost(
                1.2, new FigureKey("boot-time", "parley, 100,000", "until it has started", 0), "parley, none"));
        targets.add(Target.atMost(100, new FigureKey("boot-look-up", "parley", "among 100,000", 0)));
        targets.add(Target.atLeast(10_000, new FigureKey("rendezvous-finds", "parley", "questions", 0)));
    }

    /**
     * The outcome of a check.
     *
     * @param lines one line for each target, or for each run that has its figure
     * @param measured the number of lines with a figure
     * @param unmet the number of lines whose target was missed, is open, or was not measured
     */
    public record Outcome(List<String> lines, int measured, int unmet) {}

    /** Compares each target with the results of all runs that have its figure. */
    public static Outcome check(List<Results> runs) {
        return check(ALL, runs);
    }

    static Outcome check(List<Target> targets, List<Results> runs) {
        List<String> lines = new ArrayList<>();
        List<Verdict> verdicts = new ArrayList<>();
        for (Target target : targets) {
            List<Results> measured = runs.stream().filter(target::isMeasured).toList();
            for (Results results : measured) {
                lines.add(target.line(results));
                verdicts.add(target.verdict(results));
            }
            if (measured.isEmpty()) {
                lines.add(target.line());
                verdicts.add(Verdict.UNMEASURED);
            }
        }
        return new Outcome(
                List.copyOf(lines),
                verdicts.size() - Collections.frequency(verdicts, Verdict.UNMEASURED),
                verdicts.size() - Collections.frequency(verdicts, Verdict.MET));
    }
}

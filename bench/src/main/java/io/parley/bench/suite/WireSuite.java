package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.WaitMode;
import io.parley.bench.worker.WorkerException;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Bytes on the wire, counted by a proxy on loopback; an experiment of its own because the proxy takes time. */
final class WireSuite implements Suite {

    private static final List<Integer> SIZES = List.of(64, 1 << 10, 16 << 10);
    private static final Duration NO_HURRY = Duration.ofSeconds(60);
    private static final int LEAST = 20;
    private static final int WARM_UP_MESSAGES = 50;

    @Override
    public String name() {
        return "wire-bytes";
    }

    @Override
    public String sentence() {
        return "How many bytes a message puts on the wire beyond its payload, and a connection before its first one.";
    }

    @Override
    public List<Experiment> run(SuiteContext session) throws Exception {
        RoundResults overhead = new RoundResults();
        RoundResults setUp = new RoundResults();
        for (Contender contender : session.contenders()) {
            session.progress("bytes on the wire, " + contender.name());
            try (ProcessPair pair = session.startTapped(contender)) {
                measure(session.budget(), contender, pair, overhead, setUp);
            } catch (WorkerException problem) {
                session.failed(contender.name() + ", bytes on the wire", problem, true);
            }
        }
        return List.of(
                experiment(
                        session,
                        overhead,
                        "wire-overhead",
                        "Bytes on the wire beyond the payload, per message",
                        "Ping-pong through a counting proxy, after the first "
                                + WARM_UP_MESSAGES
                                + " messages: bytes of the TCP streams per message, less the payload; the mean of both"
                                + " directions. TCP and IP headers are not counted."),
                experiment(
                        session,
                        setUp,
                        "wire-set-up",
                        "Bytes on the wire before steady state",
                        "All bytes of both directions from the first connection until "
                                + WARM_UP_MESSAGES
                                + " round trips of 64 B are done, less their payloads: handshakes, routes, names that"
                                + " are said once."));
    }

    private static void measure(
            TimeBudget budget, Contender contender, ProcessPair pair, RoundResults overhead, RoundResults setUp)
            throws IOException, WorkerException, InterruptedException {
        boolean first = true;
        for (int bytes : SIZES) {
            pair.prepare(bytes);
            roundTrips(pair, WARM_UP_MESSAGES);
            if (first) {
                double toServer = pair.bytesToServer() - (double) WARM_UP_MESSAGES * bytes;
                double toClient = pair.bytesToClient() - (double) WARM_UP_MESSAGES * bytes;
                note(setUp, contender, bytes, toServer + toClient, toServer, toClient, WARM_UP_MESSAGES);
                first = false;
            }
            long messages = Math.max(LEAST, Math.min(1000, budget.counted()));
            long toServer = pair.bytesToServer();
            long toClient = pair.bytesToClient();
            long done = roundTrips(pair, messages);
            double there = (double) (pair.bytesToServer() - toServer) / done - bytes;
            double back = (double) (pair.bytesToClient() - toClient) / done - bytes;
            note(overhead, contender, bytes, (there + back) / 2, there, back, done);
        }
    }

    private static void note(
            RoundResults board, Contender contender, int bytes, double value, double there, double back, long samples) {
        Map<String, Double> parts = new LinkedHashMap<>();
        parts.put("to server", there);
        parts.put("to client", back);
        board.note(1, new RoundResults.Key(contender.name(), "", bytes), new RoundResults.Entry(value, parts, samples));
    }

    /** With a blocking caller, which makes exactly as many as were asked for. */
    private static long roundTrips(ProcessPair pair, long messages) throws WorkerException, InterruptedException {
        return pair.roundTrips(WaitMode.CALLER, NO_HURRY, messages).getTotalCount();
    }

    private Experiment experiment(SuiteContext session, RoundResults board, String id, String question, String method) {
        return new Experiment(
                name(),
                id,
                question,
                method,
                "bytes",
                "B",
                Experiment.Better.LESS,
                Experiment.Chart.BARS,
                board.figures(session.contenders()));
    }
}

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

/**
 * Measures the bytes on the wire with a proxy on loopback. It is a separate suite because the proxy influences times.
 */
final class WireSuite implements Suite {

    private static final List<Integer> SIZES = List.of(64, 1 << 10, 10 << 10, 16 << 10);

    /** The sizes of the paper, for which the share of the payload is reported. */
    private static final List<Integer> SHARE_SIZES = List.of(1 << 10, 10 << 10);

    private static final double PERCENT = 100;
    private static final Duration MAX_TURN = Duration.ofSeconds(60);
    private static final int MIN_MESSAGES = 20;
    private static final int MAX_MESSAGES = 200;
    private static final int WARM_UP_MESSAGES = 50;

    @Override
    public String name() {
        return "wire-bytes";
    }

    @Override
    public String description() {
        return "Bytes on the wire per message beyond its payload, the share of the payload, and bytes of the connection setup.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(Paper.COSTS.experiment("figure 9"));
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        RoundResults overhead = new RoundResults();
        RoundResults share = new RoundResults();
        RoundResults setUp = new RoundResults();
        for (Contender contender : context.contenders()) {
            context.progress("bytes on the wire, " + contender.name());
            try (ProcessPair pair = context.startTapped(contender)) {
                measure(context.budget(), contender, pair, overhead, share, setUp);
            } catch (WorkerException failure) {
                context.failed(contender.name() + ", bytes on the wire", failure, true);
            }
        }
        return List.of(
                experiment(
                        context,
                        overhead,
                        "wire-overhead",
                        "Bytes on the wire beyond the payload, per message",
                        "Round trips through a byte-counting proxy, after the first "
                                + WARM_UP_MESSAGES
                                + " messages: bytes of the TCP streams per message minus the payload, as the mean of"
                                + " both directions. TCP and IP headers are not counted."),
                new Experiment(
                                name(),
                                "wire-share",
                                "Share of the payload in the bytes on the wire",
                                "The payload of a message in percent of its bytes on the wire, as counted above.",
                                "share",
                                "%",
                                Experiment.Better.MORE,
                                Experiment.Chart.BARS,
                                share.figures(context.contenders()))
                        .with(JxtaCostStudy.PAYLOAD_SHARE_NOTE, JxtaCostStudy.payloadShares()),
                experiment(
                        context,
                        setUp,
                        "wire-set-up",
                        "Bytes on the wire before steady state",
                        "All bytes of both directions from the first connection until "
                                + WARM_UP_MESSAGES
                                + " round trips of 64 B are complete, minus their payloads: handshakes, routes, and"
                                + " names that are sent only once."));
    }

    private static void measure(
            TimeBudget budget,
            Contender contender,
            ProcessPair pair,
            RoundResults overhead,
            RoundResults share,
            RoundResults setUp)
            throws IOException, WorkerException, InterruptedException {
        boolean first = true;
        for (int bytes : SIZES) {
            pair.prepare(bytes);
            roundTrips(pair, WARM_UP_MESSAGES);
            if (first) {
                double toServer = pair.bytesToServer() - (double) WARM_UP_MESSAGES * bytes;
                double toClient = pair.bytesToClient() - (double) WARM_UP_MESSAGES * bytes;
                add(setUp, 1, contender, bytes, toServer + toClient, toServer, toClient, WARM_UP_MESSAGES);
                first = false;
            }
            long messages = Math.max(MIN_MESSAGES, Math.min(MAX_MESSAGES, budget.counted()));
            for (int round = 1; round <= budget.rounds(); round++) {
                long toServer = pair.bytesToServer();
                long toClient = pair.bytesToClient();
                long done = roundTrips(pair, messages);
                double toServerBytes = (double) (pair.bytesToServer() - toServer) / done - bytes;
                double toClientBytes = (double) (pair.bytesToClient() - toClient) / done - bytes;
                double mean = (toServerBytes + toClientBytes) / 2;
                add(overhead, round, contender, bytes, mean, toServerBytes, toClientBytes, done);
                if (SHARE_SIZES.contains(bytes)) {
                    share.add(
                            round,
                            new RoundResults.Key(contender.name(), "", bytes),
                            new RoundResults.Entry(PERCENT * bytes / (bytes + mean), Map.of(), done));
                }
            }
        }
    }

    private static void add(
            RoundResults results,
            int round,
            Contender contender,
            int bytes,
            double value,
            double toServerBytes,
            double toClientBytes,
            long samples) {
        Map<String, Double> parts = new LinkedHashMap<>();
        parts.put("to server", toServerBytes);
        parts.put("to client", toClientBytes);
        results.add(
                round,
                new RoundResults.Key(contender.name(), "", bytes),
                new RoundResults.Entry(value, parts, samples));
    }

    /** Measures with a blocking caller, which makes exactly the requested number of round trips. */
    private static long roundTrips(ProcessPair pair, long messages) throws WorkerException, InterruptedException {
        return pair.roundTrips(WaitMode.CALLER, MAX_TURN, messages).count();
    }

    private Experiment experiment(SuiteContext context, RoundResults results, String id, String title, String method) {
        return new Experiment(
                name(),
                id,
                title,
                method,
                "bytes",
                "B",
                Experiment.Better.LESS,
                Experiment.Chart.BARS,
                results.figures(context.contenders()));
    }
}

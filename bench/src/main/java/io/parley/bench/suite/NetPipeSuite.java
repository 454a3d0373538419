package io.parley.bench.suite;

import io.parley.bench.parley.ParleyStreamStack;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.SizeFormatter;
import io.parley.bench.sockets.JavaStreamStack;
import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamExchange;
import io.parley.bench.stream.StreamTiming;
import io.parley.bench.worker.CpuTime;
import io.parley.bench.worker.StreamPair;
import io.parley.bench.worker.WorkerException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Measures ping-pong of blocks over byte streams, as NetPIPE does. */
final class NetPipeSuite implements Suite {

    private static final double NANOS_PER_MICRO = 1e3;
    private static final double BITS_PER_BYTE = 8;
    private static final long MAX_TRANSFER_NANOS = Duration.ofSeconds(1).toNanos();
    private static final Map<String, String> CPU_UNITS = CpuCost.units("µs per transfer");
    private static final String METHOD =
            "Ping-pong of one block over one connection, both sides with a thread that blocks; the figure is that of one"
                    + " transfer, half of a round trip. The same bytes travel all the time, and both sides compare their"
                    + " checksum at the end, so that every byte has arrived. A contender stops at the size at which a"
                    + " transfer takes a second. ";

    @Override
    public String name() {
        return "netpipe";
    }

    @Override
    public String description() {
        return "Latency and throughput of byte streams over the block size, 1 B to 16 MB, as NetPIPE measures them.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(
                Paper.NIO.experiment("figure 1 and 2 (--links), 3 and 4 (--heaps), 5 (direct and heap buffers)"),
                Paper.CONVERGENCE.experiment("figure 1, with plain sockets and all layers"));
    }

    @Override
    public List<String> streamNames() {
        return List.of(
                JavaStreamStack.BLOCKING,
                "java-nio-direct",
                "java-nio-heap",
                "netty-stream-nio",
                "netty-stream-epoll",
                "netty-stream-io-uring",
                ParleyStreamStack.ENDPOINT,
                ParleyStreamStack.PIPE,
                ParleyStreamStack.SOCKET,
                "jxta-stream-pipe",
                "jxta-socket");
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        Set<NetPipeVariant> variants = context.netPipeVariants();
        List<Experiment> experiments = new ArrayList<>();
        if (variants.isEmpty()) {
            experiments.addAll(allContenders(context));
        }
        return experiments;
    }

    private List<Experiment> allContenders(SuiteContext context) throws IOException, InterruptedException {
        NetPipePlan plan = NetPipePlan.of(context.budget());
        Curves curves = new Curves();
        List<StreamContender> contenders = context.streams();
        try (StreamPool pool = StreamPool.of(context, contenders)) {
            measure(context, plan, pool, curves);
        }
        Map<String, List<String>> comparators = new LinkedHashMap<>();
        contenders.forEach(contender -> comparators.put(contender.name(), contender.comparators()));
        Experiment throughput = throughput(plan, curves, comparators, "netpipe-throughput", "all contenders");
        return List.of(
                throughput,
                latency(plan, curves, comparators, "netpipe-latency", "all contenders"),
                cliffs(throughput.figures()));
    }

    /** Measures all sizes, each with all contenders in turn. */
    private static void measure(SuiteContext context, NetPipePlan plan, StreamPool pool, Curves curves)
            throws IOException, InterruptedException {
        Set<String> stopped = new HashSet<>();
        for (int bytes : plan.sizes()) {
            pool.runRounds("netpipe, " + SizeFormatter.text(bytes), plan.rounds(), (entrant, pair, round) -> {
                if (stopped.contains(entrant.key())) {
                    return;
                }
                int maxCount = StreamPool.maxCount(context.budget());
                if (round == 0) {
                    StreamTiming warmUp =
                            pair.exchange(StreamExchange.Form.PING_PONG, bytes, plan.warmUp(), maxCount);
                    if (warmUp.meanNanos() / 2 > MAX_TRANSFER_NANOS) {
                        stopped.add(entrant.key());
                    }
                    return;
                }
                curves.add(round, entrant.key(), bytes, pair, plan.turn(), maxCount);
            });
        }
    }

    private Experiment throughput(
            NetPipePlan plan, Curves curves, Map<String, List<String>> comparators, String id, String subject) {
        return experiment(
                id,
                "NetPIPE: throughput over the block size, " + subject,
                "By the mean time of a transfer. ",
                plan,
                "throughput",
                "Mbit/s",
                Experiment.Better.MORE,
                curves.throughput.figures(comparators));
    }

    private Experiment latency(
            NetPipePlan plan, Curves curves, Map<String, List<String>> comparators, String id, String subject) {
        return experiment(
                id,
                "NetPIPE: time of a transfer over the block size, " + subject,
                "The median. ",
                plan,
                "p50",
                "µs",
                Experiment.Better.LESS,
                curves.latency.figures(comparators));
    }

    private Experiment experiment(
            String id,
            String title,
            String statistic,
            NetPipePlan plan,
            String value,
            String unit,
            Experiment.Better better,
            List<Figure> figures) {
        String rounds = "Contenders take turns in %d rounds after a warm-up; the figure is the median over the rounds."
                .formatted(plan.rounds());
        return new Experiment(
                name(),
                id,
                title,
                METHOD + statistic + rounds + CpuCost.METHOD,
                value,
                unit,
                better == Experiment.Better.LESS ? CPU_UNITS : Map.of(),
                better,
                Experiment.Chart.LINES,
                figures);
    }

    private Experiment cliffs(List<Figure> throughput) {
        return new Experiment(
                name(),
                "netpipe-cliffs",
                "NetPIPE: the greatest fall of the throughput from one block size to the next",
                "The throughput at a size as a part of that at the size before, by the medians; the least one of all"
                        + " sizes. Sizes at which that of the plain socket is below %.1f do not count."
                                .formatted(NetPipeCliffs.MIN_RATIO),
                "ratio",
                "of the size before",
                Map.of(NetPipeCliffs.AT, "bytes"),
                Experiment.Better.MORE,
                Experiment.Chart.BARS,
                NetPipeCliffs.of(throughput, JavaStreamStack.BLOCKING));
    }

    /** The results of all sizes. */
    private static final class Curves {

        private final RoundResults throughput = new RoundResults();
        private final RoundResults latency = new RoundResults();

        void add(int round, String name, int bytes, StreamPair pair, Duration turn, int maxCount)
                throws WorkerException, InterruptedException {
            CpuTime start = pair.cpuTime();
            StreamTiming timing = pair.exchange(StreamExchange.Form.PING_PONG, bytes, turn, maxCount);
            CpuCost cpu = CpuCost.of(pair.cpuTime().since(start));
            double meanMicros = timing.meanNanos() / 2 / NANOS_PER_MICRO;
            RoundResults.Key key = new RoundResults.Key(name, "", bytes);
            Map<String, Double> parts = new LinkedHashMap<>();
            parts.put("mean", meanMicros);
            parts.put("p99", LatencyParts.micros(timing.times(), 99) / 2);
            parts.putAll(cpu.parts(2 * timing.count(), NANOS_PER_MICRO));
            latency.add(
                    round,
                    key,
                    new RoundResults.Entry(LatencyParts.micros(timing.times(), 50) / 2, parts, timing.count()));
            throughput.add(
                    round,
                    key,
                    new RoundResults.Entry(bytes * BITS_PER_BYTE / meanMicros, Map.of(), timing.count()));
        }
    }
}

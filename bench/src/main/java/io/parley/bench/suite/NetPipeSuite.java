package io.parley.bench.suite;

import io.parley.bench.parley.ParleyStreamStack;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.SizeFormatter;
import io.parley.bench.sockets.JavaStreamStack;
import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamExchange;
import io.parley.bench.stream.StreamTiming;
import io.parley.bench.worker.CNetPipe;
import io.parley.bench.worker.NetworkNamespaces;
import io.parley.bench.worker.StreamPair;
import io.parley.bench.worker.StreamSetting;
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
    private static final List<Integer> BUFFERS = List.of(16 << 10, 256 << 10);
    private static final List<String> RATES = List.of("100mbit", "1gbit");
    private static final List<String> HEAPS = List.of("64m", "256m", "1g");
    private static final List<String> COLLECTORS = List.of("Serial", "Parallel", "G1");
    private static final Set<String> VARIANT_CONTENDERS =
            Set.of(JavaStreamStack.BLOCKING, "java-nio-direct", ParleyStreamStack.SOCKET);
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
                JavaStreamStack.C_NETPIPE,
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
        if (variants.contains(NetPipeVariant.BUFFERS)) {
            for (int bytes : BUFFERS) {
                try (NetworkNamespaces network = NetworkNamespaces.loopback(bytes)) {
                    experiments.addAll(inNetwork(context, network, "socket buffers of " + SizeFormatter.text(bytes)));
                    context.keep(experiments);
                }
            }
        }
        if (variants.contains(NetPipeVariant.LINKS)) {
            for (String rate : RATES) {
                for (int bytes : BUFFERS) {
                    try (NetworkNamespaces network = NetworkNamespaces.link(rate, bytes)) {
                        experiments.addAll(inNetwork(
                                context, network, rate + "/s, socket buffers of " + SizeFormatter.text(bytes)));
                        context.keep(experiments);
                    }
                }
            }
        }
        if (variants.contains(NetPipeVariant.HEAPS)) {
            experiments.addAll(heaps(context));
        }
        return experiments;
    }

    private static List<StreamContender> few(SuiteContext context) {
        return context.streams().stream()
                .filter(contender -> VARIANT_CONTENDERS.contains(contender.name()))
                .toList();
    }

    /** Measures a few contenders in a network. */
    private List<Experiment> inNetwork(SuiteContext context, NetworkNamespaces network, String label)
            throws IOException, InterruptedException {
        NetPipePlan plan = NetPipePlan.ofVariants(context.budget());
        StreamSetting setting = network.setting(label);
        List<StreamPool.Entrant> entrants = few(context).stream()
                .map(contender -> new StreamPool.Entrant(contender, setting))
                .toList();
        Curves curves = new Curves();
        Map<String, List<String>> comparators = new LinkedHashMap<>();
        if (context.streams().stream().anyMatch(NetPipeSuite::isProgram)) {
            measureC(context, plan, curves, setting);
            comparators.put(JavaStreamStack.C_NETPIPE, List.of());
        }
        try (StreamPool pool = new StreamPool(context, entrants)) {
            measure(context, plan, pool, curves);
        }
        entrants.forEach(
                entrant -> comparators.put(entrant.name(), entrant.contender().comparators()));
        String id = label.replaceAll("[^a-zA-Z0-9]+", "-");
        return List.of(
                throughput(plan, curves, comparators, "netpipe-throughput-" + id, label),
                latency(plan, curves, comparators, "netpipe-latency-" + id, label));
    }

    /** Measures each of a few contenders with heaps and collectors, which are the lines of its chart. */
    private List<Experiment> heaps(SuiteContext context) throws IOException, InterruptedException {
        NetPipePlan plan = NetPipePlan.ofVariants(context.budget());
        List<Experiment> experiments = new ArrayList<>();
        for (StreamContender contender : few(context)) {
            List<StreamPool.Entrant> entrants = HEAPS.stream()
                    .flatMap(size -> COLLECTORS.stream().map(collector -> StreamSetting.ofHeap(size, collector)))
                    .map(setting -> new StreamPool.Entrant(contender, setting))
                    .toList();
            Curves curves = new Curves();
            try (StreamPool pool = new StreamPool(context, entrants)) {
                measure(context, plan, pool, curves);
            }
            Map<String, List<String>> comparators = new LinkedHashMap<>();
            entrants.forEach(entrant ->
                    comparators.put(entrant.name(), List.of(entrants.get(0).name())));
            String subject = contender.name() + " by heap and collector";
            experiments.add(
                    throughput(plan, curves, comparators, "netpipe-throughput-heaps-" + contender.name(), subject));
        }
        return experiments;
    }

    private List<Experiment> allContenders(SuiteContext context) throws IOException, InterruptedException {
        NetPipePlan plan = NetPipePlan.of(context.budget());
        Curves curves = new Curves();
        List<StreamContender> contenders = context.streams();
        if (contenders.stream().anyMatch(NetPipeSuite::isProgram)) {
            measureC(context, plan, curves, StreamSetting.DEFAULT);
        }
        List<StreamContender> streams =
                contenders.stream().filter(contender -> !isProgram(contender)).toList();
        try (StreamPool pool = StreamPool.of(context, streams)) {
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

    private static boolean isProgram(StreamContender contender) {
        return contender.name().equals(JavaStreamStack.C_NETPIPE);
    }

    /** Lets NetPIPE in C measure in its own way, before the others start. */
    private static void measureC(SuiteContext context, NetPipePlan plan, Curves curves, StreamSetting setting)
            throws IOException, InterruptedException {
        int maxBytes = plan.sizes().get(plan.sizes().size() - 1);
        for (int round = 1; round <= (context.budget().isFull() ? plan.rounds() : 1); round++) {
            context.progress("netpipe, C, round " + round);
            try {
                Map<Integer, Double> transfers = CNetPipe.measure(setting, maxBytes, context.logs());
                for (int bytes : plan.sizes()) {
                    Double micros = transfers.get(bytes);
                    if (micros != null) {
                        curves.add(round, JavaStreamStack.C_NETPIPE, bytes, micros);
                    }
                }
            } catch (WorkerException failure) {
                context.failed(JavaStreamStack.C_NETPIPE + ", round " + round, failure, true);
                return;
            }
        }
    }

    /** Measures all sizes, each with all contenders in turn. */
    private static void measure(SuiteContext context, NetPipePlan plan, StreamPool pool, Curves curves)
            throws IOException, InterruptedException {
        Set<String> stopped = new HashSet<>();
        for (int bytes : plan.sizes()) {
            pool.runRounds("netpipe, " + SizeFormatter.text(bytes), plan.rounds(), (entrant, pair, round) -> {
                if (stopped.contains(entrant.name())) {
                    return;
                }
                int maxCount = StreamPool.maxCount(context.budget());
                if (round == 0) {
                    StreamTiming warmUp = pair.exchange(StreamExchange.Form.PING_PONG, bytes, plan.warmUp(), maxCount);
                    if (warmUp.meanNanos() / 2 > MAX_TRANSFER_NANOS) {
                        stopped.add(entrant.name());
                    }
                    return;
                }
                curves.add(round, entrant.name(), bytes, pair, plan.turn(), maxCount);
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
                        + " sizes. It is 0 at a size at which the plain socket has a throughput and the contender has none."
                        + " Sizes at which that of the plain socket is below %.1f do not count."
                                .formatted(NetPipeCliffs.MIN_RATIO),
                "ratio",
                "of the size before",
                Map.of(NetPipeCliffs.AT, "bytes"),
                Experiment.Better.MORE,
                Experiment.Chart.BARS,
                NetPipeCliffs.of(
                        throughput.stream()
                                .filter(figure -> !figure.contender().equals(JavaStreamStack.C_NETPIPE))
                                .toList(),
                        JavaStreamStack.BLOCKING));
    }

    /** The results of all sizes. */
    private static final class Curves {

        private final RoundResults throughput = new RoundResults();
        private final RoundResults latency = new RoundResults();

        /** Adds the time of a transfer that another program has measured. */
        void add(int round, String name, int bytes, double micros) {
            RoundResults.Key key = new RoundResults.Key(name, "", bytes);
            latency.add(round, key, new RoundResults.Entry(micros, Map.of(), 1));
            throughput.add(round, key, new RoundResults.Entry(bytes * BITS_PER_BYTE / micros, Map.of(), 1));
        }

        void add(int round, String name, int bytes, StreamPair pair, Duration turn, int maxCount)
                throws WorkerException, InterruptedException {
            StreamTiming timing = pair.exchange(StreamExchange.Form.PING_PONG, bytes, turn, maxCount);
            CpuCost cpu = CpuCost.of(pair.exchangeCpuTime());
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
                    round, key, new RoundResults.Entry(bytes * BITS_PER_BYTE / meanMicros, Map.of(), timing.count()));
        }
    }
}

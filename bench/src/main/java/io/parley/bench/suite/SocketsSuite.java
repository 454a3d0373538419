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
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Measures the layers of Parley up to the socket: latency and bandwidth over the message size, streams, requests, many sockets. */
final class SocketsSuite implements Suite {

    private static final String NETTY = "netty-stream-epoll";
    private static final String NETTY_TLS = "netty-stream-tls";
    private static final String JXTA_PIPE = "jxta-stream-pipe";
    private static final String JXTA_SOCKET = "jxta-socket";
    private static final String SMALL_BUFFER = "-16k";
    private static final String LARGE_BUFFER = "-512k";
    private static final String SOCKET = ParleyStreamStack.SOCKET;

    private static final List<String> LAYERS = List.of(
            JavaStreamStack.BLOCKING,
            ParleyStreamStack.ENDPOINT,
            ParleyStreamStack.PIPE,
            SOCKET,
            SOCKET + SMALL_BUFFER,
            SOCKET + LARGE_BUFFER,
            JXTA_PIPE,
            JXTA_SOCKET,
            JXTA_SOCKET + SMALL_BUFFER);
    private static final List<String> STREAMS = List.of(
            JavaStreamStack.BLOCKING,
            NETTY,
            NETTY_TLS,
            SOCKET,
            SOCKET + SMALL_BUFFER,
            SOCKET + LARGE_BUFFER,
            SOCKET + "-tls",
            JXTA_SOCKET,
            JXTA_SOCKET + SMALL_BUFFER);
    private static final List<String> REQUESTS =
            List.of(JavaStreamStack.BLOCKING, NETTY, SOCKET, SOCKET + "-no-spin", JXTA_SOCKET);
    private static final List<String> MANY = List.of(JavaStreamStack.BLOCKING, NETTY, SOCKET);

    private static final int REQUEST_BYTES = 1 << 10;

    /** The number of sockets for which a turn of the budget is long enough. */
    private static final int SOCKETS_FOR_A_TURN = 100;

    private static final double NANOS_PER_MICRO = 1e3;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String CHECKED = "Both sides compare a checksum of all bytes. ";

    @Override
    public String name() {
        return "sockets";
    }

    @Override
    public String description() {
        return "Endpoint, pipe and socket over the message size; streams, requests, and 1 to 1,000 sockets at once.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(
                Paper.CONVERGENCE.experiment("table 1 and figure 1, without Myrinet"),
                Paper.CONVERGENCE.experiment("figure 2, output buffers of 16 and 512 KB"));
    }

    @Override
    public List<String> streamNames() {
        return Stream.of(LAYERS, STREAMS, REQUESTS, MANY)
                .flatMap(List::stream)
                .distinct()
                .toList();
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        List<Experiment> completed = new ArrayList<>(layers(context));
        context.keep(completed);
        completed.add(streams(context));
        context.keep(completed);
        completed.add(requests(context));
        context.keep(completed);
        completed.add(many(context));
        return completed;
    }

    private static List<StreamContender> among(SuiteContext context, List<String> names) {
        return context.streams().stream()
                .filter(contender -> names.contains(contender.name()))
                .toList();
    }

    private static Map<String, List<String>> comparators(SuiteContext context) {
        Map<String, List<String>> comparators = new LinkedHashMap<>();
        context.streams().forEach(contender -> comparators.put(contender.name(), contender.comparators()));
        return comparators;
    }

    private static List<Integer> layerSizes(TimeBudget budget) {
        return budget.isTiny()
                ? List.of(1, 1024)
                : List.of(1, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20);
    }

    private static List<Integer> writeSizes(TimeBudget budget) {
        return budget.isTiny() ? List.of(16 << 10) : List.of(16 << 10, 64 << 10, 256 << 10);
    }

    private static List<Integer> socketCounts(TimeBudget budget) {
        return budget.isTiny() ? List.of(1, 3) : List.of(1, 10, 100, 1_000);
    }

    private List<Experiment> layers(SuiteContext context) throws IOException, InterruptedException {
        RoundResults latency = new RoundResults();
        RoundResults bandwidth = new RoundResults();
        TimeBudget budget = context.budget();
        int maxCount = StreamPool.maxCount(budget);
        try (StreamPool pool = StreamPool.of(context, among(context, LAYERS))) {
            for (int bytes : layerSizes(budget)) {
                pool.runRounds("layers, " + SizeFormatter.text(bytes), budget.rounds(), (entrant, pair, round) -> {
                    if (round == 0) {
                        WarmUp.run(
                                budget,
                                time -> pair.exchange(StreamExchange.Form.ACKNOWLEDGED, bytes, time, maxCount)
                                        .meanNanos());
                        return;
                    }
                    StreamTiming timing =
                            pair.exchange(StreamExchange.Form.ACKNOWLEDGED, bytes, budget.turn(), maxCount);
                    RoundResults.Key key = new RoundResults.Key(entrant.name(), "", bytes);
                    latency.add(round, key, roundTrip(timing, CpuCost.of(pair.exchangeCpuTime()), 2));
                    bandwidth.add(
                            round, key, new RoundResults.Entry(megabytes(bytes, timing), Map.of(), timing.count()));
                });
            }
        }
        return List.of(
                experiment(
                                context,
                                "latency",
                                "Latency over the message size",
                                "Half of the time from the call that sends a message until its acknowledgement of one byte"
                                        + " has arrived, the median; a thread blocks on each side. ",
                                "p50",
                                "µs",
                                Experiment.Better.LESS,
                                Experiment.Chart.LINES,
                                latency.figures(comparators(context)))
                        .with(JxtaLayersStudy.LATENCY_NOTE, JxtaLayersStudy.latencies()),
                experiment(
                        context,
                        "bandwidth",
                        "Bandwidth over the message size",
                        "As above: bytes by the mean time until the acknowledgement. ",
                        "rate",
                        "MB/s",
                        Experiment.Better.MORE,
                        Experiment.Chart.LINES,
                        bandwidth.figures(comparators(context))));
    }

    private Experiment streams(SuiteContext context) throws IOException, InterruptedException {
        RoundResults streams = new RoundResults();
        TimeBudget budget = context.budget();
        int maxCount = StreamPool.maxCount(budget);
        try (StreamPool pool = StreamPool.of(context, among(context, STREAMS))) {
            for (int bytes : writeSizes(budget)) {
                pool.runRounds("stream, " + SizeFormatter.text(bytes), budget.rounds(), (entrant, pair, round) -> {
                    if (round == 0) {
                        WarmUp.run(
                                budget,
                                time -> pair.exchange(StreamExchange.Form.ONE_WAY, bytes, time, maxCount)
                                        .meanNanos());
                        return;
                    }
                    StreamTiming timing = pair.exchange(StreamExchange.Form.ONE_WAY, bytes, budget.turn(), maxCount);
                    Map<String, Double> parts =
                            CpuCost.of(pair.exchangeCpuTime()).parts(timing.count(), NANOS_PER_MICRO);
                    streams.add(
                            round,
                            new RoundResults.Key(entrant.name(), "", bytes),
                            new RoundResults.Entry(megabytes(bytes, timing), parts, timing.count()));
                });
            }
        }
        return experiment(
                        context,
                        "stream",
                        "One stream: megabytes per second by the size of a write",
                        "One way; the time ends when the receiver has confirmed all bytes. TLS is compared with TLS. ",
                        "rate",
                        "MB/s",
                        Experiment.Better.MORE,
                        Experiment.Chart.BARS,
                        streams.figures(comparators(context)))
                .with(JxtaLayersStudy.BUFFER_NOTE, JxtaLayersStudy.buffers());
    }

    private Experiment requests(SuiteContext context) throws IOException, InterruptedException {
        RoundResults requests = new RoundResults();
        TimeBudget budget = context.budget();
        int maxCount = StreamPool.maxCount(budget);
        try (StreamPool pool = StreamPool.of(context, among(context, REQUESTS))) {
            pool.runRounds("requests", budget.rounds(), (entrant, pair, round) -> {
                if (round == 0) {
                    WarmUp.run(
                            budget,
                            time -> pair.exchange(StreamExchange.Form.PING_PONG, REQUEST_BYTES, time, maxCount)
                                    .times()
                                    .getValueAtPercentile(50));
                    return;
                }
                StreamTiming timing =
                        pair.exchange(StreamExchange.Form.PING_PONG, REQUEST_BYTES, budget.turn(), maxCount);
                requests.add(
                        round,
                        new RoundResults.Key(entrant.name(), "", REQUEST_BYTES),
                        roundTrip(timing, CpuCost.of(pair.exchangeCpuTime()), 1));
            });
        }
        return experiment(
                context,
                "requests",
                "Blocking request and response of 1 KB",
                "A thread writes a request of 1 KB and reads a response of 1 KB; the other side does the reverse. ",
                "p50",
                "µs",
                Experiment.Better.LESS,
                Experiment.Chart.BARS,
                requests.figures(comparators(context)));
    }

    private Experiment many(SuiteContext context) throws IOException, InterruptedException {
        RoundResults many = new RoundResults();
        TimeBudget budget = context.budget();
        int maxCount = StreamPool.maxCount(budget);
        try (StreamPool pool = StreamPool.of(context, among(context, MANY))) {
            for (int sockets : socketCounts(budget)) {
                // So long that each socket has more than some round trips, of which the first and the last are of the
                // start and the end.
                Duration turn = budget.turn().multipliedBy(Math.max(1, sockets / SOCKETS_FOR_A_TURN));
                String form = sockets == 1 ? "1 socket" : "%,d sockets".formatted(sockets);
                pool.runRounds(form, budget.rounds(), (entrant, pair, round) -> {
                    pair.connections(sockets);
                    if (round == 0) {
                        WarmUp.run(
                                budget,
                                time -> pair.allPingPong(REQUEST_BYTES, time, maxCount)
                                        .meanNanos());
                        return;
                    }
                    CpuTime start = pair.cpuTime();
                    StreamTiming timing = pair.allPingPong(REQUEST_BYTES, turn, maxCount);
                    RoundResults.Entry roundTrip =
                            roundTrip(timing, CpuCost.of(pair.cpuTime().since(start)), 1);
                    many.add(
                            round,
                            new RoundResults.Key(entrant.name(), form, REQUEST_BYTES),
                            new RoundResults.Entry(
                                    NANOS_PER_SECOND / timing.meanNanos(), roundTrip.parts(), timing.count()));
                });
            }
        }
        return experiment(
                context,
                "many",
                "Many sockets: round trips of 1 KB per second, in sum",
                "A thread for each socket on both sides, all at the same time. ",
                "rate",
                "round trips/s",
                Experiment.Better.MORE,
                Experiment.Chart.BARS_BY_FORM,
                many.figures(comparators(context)));
    }

    /** Returns the median time of a round trip, divided by {@code parts}, in microseconds. */
    private static RoundResults.Entry roundTrip(StreamTiming timing, CpuCost cpu, int divisor) {
        Map<String, Double> parts = new LinkedHashMap<>();
        parts.put("p99", LatencyParts.micros(timing.times(), 99) / divisor);
        parts.putAll(cpu.parts(timing.count(), NANOS_PER_MICRO));
        return new RoundResults.Entry(LatencyParts.micros(timing.times(), 50) / divisor, parts, timing.count());
    }

    /** Returns megabytes per second. */
    private static double megabytes(int bytes, StreamTiming timing) {
        return bytes * NANOS_PER_MICRO / timing.meanNanos();
    }

    private Experiment experiment(
            SuiteContext context,
            String id,
            String title,
            String method,
            String value,
            String unit,
            Experiment.Better better,
            Experiment.Chart chart,
            List<Figure> figures) {
        Map<String, String> units = CpuCost.units("µs");
        units.put("p99", "µs");
        return new Experiment(
                name(),
                name() + "-" + id,
                title,
                method + CHECKED + Suites.rounds(context) + CpuCost.METHOD,
                value,
                unit,
                units,
                better,
                chart,
                figures);
    }
}

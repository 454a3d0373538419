package io.parley.bench.suite;

import io.parley.bench.parley.BootMain;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import io.parley.bench.worker.WorkerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Measures the start of a peer whose home is full, and searches in its local store. */
final class BootSuite implements Suite {

    private static final String NAME = "boot";
    private static final String PARLEY = "parley";
    private static final String NONE = "parley, none";
    private static final List<String> PERCENTILES = List.of("p50", "p90", "p99");
    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final int SEARCH_WARM_UP_ROUNDS = 4;
    private static final int NANOS_PER_MICRO = 1000;
    private static final double NANOS_PER_MILLI = 1e6;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "Start time of a peer with up to 100,000 stored advertisements, and time to find one of them.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(Paper.COSTS.experiment("figure 3"));
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        boolean tiny = context.budget().isTiny();
        List<Integer> counts = tiny ? List.of(0, 100) : List.of(0, 100, 10_000, 100_000);
        int rounds = tiny ? 1 : context.budget().isFull() ? 200 : 50;
        try (TemporaryDirectory scratch = new TemporaryDirectory();
                WorkerProcess worker = WorkerProcess.start(BootMain.class, context.logs(), List.of())) {
            worker.ready();
            Map<Integer, Path> homes = new LinkedHashMap<>();
            for (int count : counts) {
                context.progress("home with %,d advertisements".formatted(count));
                Path home = scratch.path().resolve(Integer.toString(count));
                worker.request("fill " + home + " " + count, TIMEOUT);
                homes.put(count, home);
            }
            context.progress("starts");
            List<Figure> starts = starts(worker, homes, rounds);
            int maxCount = Collections.max(counts);
            context.progress("searches");
            int times = tiny ? 10 : 5000;
            Path fullest = scratch.path().resolve(Integer.toString(maxCount));
            search(worker, fullest, maxCount, times, SEARCH_WARM_UP_ROUNDS);
            Figure search =
                    search(worker, fullest, maxCount, times, context.budget().rounds());
            return List.of(
                    experiment(
                            "boot-time",
                            "Start with a full home",
                            "Time from building a peer until it has started, and until its store has returned the first"
                                    + " result (the store opens after the start). Identity and store are on disk, TCP"
                                    + " is on loopback, without a rendezvous. Homes take turns in one process, after"
                                    + " the same number of warm-up starts; the files are in the cache of the operating"
                                    + " system.",
                            "ms",
                            starts),
                    experiment(
                            "boot-look-up",
                            "Search in a full home",
                            ("One pipe advertisement by its name, from the peer's own store on disk, which verified it"
                                            + " when it was stored. The median over %d rounds of %,d searches, each"
                                            + " with a new peer, after %d rounds as a warm-up.")
                                    .formatted(context.budget().rounds(), times, SEARCH_WARM_UP_ROUNDS),
                            "µs",
                            List.of(search)));
        }
    }

    private static List<Figure> starts(WorkerProcess worker, Map<Integer, Path> homes, int rounds) throws Exception {
        List<Map<Integer, List<Double>>> millis = List.of(new LinkedHashMap<>(), new LinkedHashMap<>());
        for (int round = -rounds; round < rounds; round++) {
            for (Map.Entry<Integer, Path> home : homes.entrySet()) {
                String[] nanos =
                        worker.request("start " + home.getValue(), TIMEOUT).split(" ");
                for (int i = 0; i < nanos.length && round >= 0; i++) {
                    millis.get(i)
                            .computeIfAbsent(home.getKey(), unused -> new ArrayList<>())
                            .add(Double.parseDouble(nanos[i]) / NANOS_PER_MILLI);
                }
            }
        }
        return Stream.of(
                        starts("until it has started", millis.get(0)),
                        starts("until its store has responded", millis.get(1)))
                .flatMap(List::stream)
                .toList();
    }

    private static List<Figure> starts(String form, Map<Integer, List<Double>> millis) {
        List<Double> empty = millis.getOrDefault(0, List.of());
        return millis.entrySet().stream()
                .map(count -> start(form, count.getKey(), count.getValue(), empty))
                .toList();
    }

    /** Returns a figure whose ratio is calculated round by round. */
    private static Figure start(String form, int count, List<Double> millis, List<Double> empty) {
        Map<String, Spread> ratios = count == 0
                ? Map.of()
                : Map.of(
                        NONE,
                        Spread.of(IntStream.range(0, millis.size())
                                .mapToObj(round -> millis.get(round) / empty.get(round))
                                .toList()));
        return new Figure(
                count == 0 ? NONE : "%s, %,d".formatted(PARLEY, count),
                form,
                0,
                Spread.of(millis),
                Map.of(),
                millis.size(),
                ratios);
    }

    private static Figure search(WorkerProcess worker, Path home, int count, int times, int rounds) throws Exception {
        Map<String, List<Double>> micros = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
            String[] nanos = worker.request("look %s %d %d".formatted(home, count, times), TIMEOUT)
                    .split(" ");
            for (int i = 0; i < PERCENTILES.size(); i++) {
                micros.computeIfAbsent(PERCENTILES.get(i), unused -> new ArrayList<>())
                        .add(Double.parseDouble(nanos[i]) / NANOS_PER_MICRO);
            }
        }
        Map<String, Spread> parts = new LinkedHashMap<>();
        micros.forEach((percentile, values) -> parts.put(percentile, Spread.of(values)));
        return new Figure(
                PARLEY,
                "among %,d".formatted(count),
                0,
                Spread.of(micros.getOrDefault(PERCENTILES.get(0), List.of())),
                parts,
                (long) times * rounds,
                Map.of());
    }

    private static Experiment experiment(String id, String title, String method, String unit, List<Figure> figures) {
        return new Experiment(
                NAME,
                id,
                title,
                method,
                "median",
                unit,
                Experiment.Better.LESS,
                Experiment.Chart.BARS_BY_FORM,
                figures);
    }
}

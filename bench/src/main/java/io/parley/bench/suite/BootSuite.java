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
import java.util.stream.Stream;

/** Starts of a peer whose home is full, and look-ups in it. */
final class BootSuite implements Suite {

    private static final String NAME = "boot";
    private static final String US = "parley";
    private static final String NONE = "parley, none";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int NANOS_PER_MICRO = 1000;
    private static final double NANOS_PER_MILLI = 1e6;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String sentence() {
        return "How long a peer takes to start whose home holds up to 100,000 advertisements, and to look one up there.";
    }

    @Override
    public List<Experiment> run(SuiteContext session) throws Exception {
        boolean tiny = session.budget().isTiny();
        List<Integer> counts = tiny ? List.of(0, 100) : List.of(0, 100, 10_000, 100_000);
        int rounds = tiny ? 1 : session.budget().isFull() ? 200 : 50;
        try (TemporaryDirectory scratch = new TemporaryDirectory();
                WorkerProcess worker = WorkerProcess.start(BootMain.class, session.logs(), List.of())) {
            worker.ready();
            Map<Integer, Path> homes = new LinkedHashMap<>();
            for (int count : counts) {
                session.progress("a home with %,d advertisements".formatted(count));
                Path home = scratch.path().resolve(Integer.toString(count));
                worker.ask("fill " + home + " " + count, PATIENCE);
                homes.put(count, home);
            }
            session.progress("starts");
            List<Figure> starts = starts(worker, homes, rounds);
            int most = Collections.max(counts);
            session.progress("look-ups");
            int times = tiny ? 10 : 20_000;
            Path fullest = scratch.path().resolve(Integer.toString(most));
            look(worker, fullest, most, times);
            Figure look = look(worker, fullest, most, times);
            return List.of(
                    experiment(
                            "boot-time",
                            "Start with a full home",
                            "From building a peer until it has started, and until its store, which is opened when the"
                                    + " start is over, has answered a question: identity and store on disk, TCP on loopback,"
                                    + " no rendezvous. Homes take turns in one process, after as many starts that do not"
                                    + " count; the files are in the system's cache.",
                            "ms",
                            starts),
                    experiment(
                            "boot-look-up",
                            "Look-up in a full home",
                            "One pipe advertisement by its name, from the peer's own store on disk, verified when it was"
                                    + " stored; after as many look-ups that do not count.",
                            "µs",
                            List.of(look)));
        }
    }

    private static List<Figure> starts(WorkerProcess worker, Map<Integer, Path> homes, int rounds) throws Exception {
        List<Map<Integer, List<Double>>> millis = List.of(new LinkedHashMap<>(), new LinkedHashMap<>());
        for (int round = -rounds; round < rounds; round++) {
            for (Map.Entry<Integer, Path> home : homes.entrySet()) {
                String[] nanos =
                        worker.ask("start " + home.getValue(), PATIENCE).split(" ");
                for (int i = 0; i < nanos.length && round >= 0; i++) {
                    millis.get(i)
                            .computeIfAbsent(home.getKey(), unused -> new ArrayList<>())
                            .add(Double.parseDouble(nanos[i]) / NANOS_PER_MILLI);
                }
            }
        }
        return Stream.of(
                        starts("until it has started", millis.get(0), rounds),
                        starts("until its store has answered", millis.get(1), rounds))
                .flatMap(List::stream)
                .toList();
    }

    private static List<Figure> starts(String form, Map<Integer, List<Double>> millis, int rounds) {
        double none = Spread.of(millis.getOrDefault(0, List.of())).median();
        return millis.entrySet().stream()
                .map(count -> start(form, count.getKey(), Spread.of(count.getValue()), none, rounds))
                .toList();
    }

    private static Figure start(String form, int count, Spread millis, double none, int rounds) {
        Map<String, Spread> ratios = count == 0
                ? Map.of()
                : Map.of(NONE, new Spread(millis.median() / none, millis.min() / none, millis.max() / none));
        return new Figure(
                count == 0 ? NONE : "%s, %,d".formatted(US, count), form, 0, millis, Map.of(), rounds, ratios);
    }

    private static Figure look(WorkerProcess worker, Path home, int count, int times) throws Exception {
        String[] nanos = worker.ask("look %s %d %d".formatted(home, count, times), PATIENCE)
                .split(" ");
        Map<String, Spread> parts = new LinkedHashMap<>();
        parts.put("p50", micros(nanos[0]));
        parts.put("p90", micros(nanos[1]));
        parts.put("p99", micros(nanos[2]));
        return new Figure(US, "among %,d".formatted(count), 0, micros(nanos[0]), parts, times, Map.of());
    }

    private static Spread micros(String nanos) {
        return Spread.of(List.of(Double.parseDouble(nanos) / NANOS_PER_MICRO));
    }

    private static Experiment experiment(String id, String question, String method, String unit, List<Figure> figures) {
        return new Experiment(
                NAME,
                id,
                question,
                method,
                "median",
                unit,
                Experiment.Better.LESS,
                Experiment.Chart.BARS_BY_FORM,
                figures);
    }
}

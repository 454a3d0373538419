package io.parley.bench.suite;

import io.parley.bench.compression.CodingTimeMain;
import io.parley.bench.compression.CompressionScheme;
import io.parley.bench.compression.TransitLink;
import io.parley.bench.compression.TransitMain;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import io.parley.bench.worker.WorkerException;
import io.parley.bench.worker.WorkerProcess;
import io.parley.bench.workload.EmployeeFile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures encoding schemes that compress XML: sizes, processor time, and the transit of messages over links. */
final class CompressionSuite implements Suite {

    private static final String NAME = "compression";
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double PERCENT = 100;
    private static final List<Integer> QUICK_RECORDS = List.of(1, 50, 250);
    private static final List<Integer> TINY_RECORDS = List.of(1, 50);
    private static final List<String> STEPS = List.of("encode", "decode");
    /** The parts of a turn of the budget: there are many contenders and sizes, which do not send messages at the same time. */
    private static final int CODING_TURNS = 4;

    private static final int TRANSIT_TURNS = 10;
    private static final String SAVED = "saved";
    private static final String FILES = "Employee files of 1 to 1,000 records. ";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "Size, processor time and transit of XML elements with each scheme that compresses.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(
                Paper.COMPRESSION.experiment("tables 2 to 4: sizes"),
                Paper.COMPRESSION.experiment("tables 5 to 7, figures 12 to 16: transit times"));
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        context.progress("sizes of compressed files");
        List<Experiment> experiments = new ArrayList<>(List.of(sizes()));
        context.keep(experiments);
        List<Integer> records = records(context.budget());
        experiments.addAll(codingTimes(context, records));
        context.keep(experiments);
        experiments.addAll(transits(context, records));
        return experiments;
    }

    private static List<Integer> records(TimeBudget budget) {
        return budget.isFull() ? EmployeeFile.records() : budget.isTiny() ? TINY_RECORDS : QUICK_RECORDS;
    }

    private static Experiment sizes() {
        List<Figure> figures = new ArrayList<>();
        for (int records : EmployeeFile.records()) {
            int fileBytes = EmployeeFile.bytes(records);
            for (CompressionScheme scheme : CompressionScheme.values()) {
                figures.add(size(scheme.label(), fileBytes, scheme.encodedBytes(records)));
            }
        }
        for (Figure figure : JxtaCompressionStudy.sizes(EmployeeFile.records())) {
            figures.add(size(figure.contender(), figure.bytes(), figure.value().median()));
        }
        return new Experiment(
                        NAME,
                        "compression-size",
                        "Compressed files: size",
                        FILES
                                + "Bytes of the encoded content of an element, without its name and mark, which are the same"
                                + " in each run; and the share of the file that is saved.",
                        "size",
                        "B",
                        Map.of(SAVED, "%"),
                        Experiment.Better.LESS,
                        Experiment.Chart.LINES,
                        List.of())
                .with(
                        JxtaCompressionStudy.SIZE_NOTE,
                        RatioCalculator.of(
                                figures,
                                name -> CompressionScheme.labels().contains(name)
                                        ? List.of(JxtaCompressionStudy.name(name), "gzip")
                                        : List.of()));
    }

    private static Figure size(String contender, int fileBytes, double bytes) {
        double saved = PERCENT * (fileBytes - bytes) / fileBytes;
        return new Figure(
                contender,
                "",
                fileBytes,
                Spread.of(List.of(bytes)),
                Map.of(SAVED, Spread.of(List.of(saved))),
                1,
                Map.of());
    }

    private static List<Experiment> codingTimes(SuiteContext context, List<Integer> records) throws Exception {
        Map<String, RoundResults> results = new LinkedHashMap<>();
        STEPS.forEach(step -> results.put(step, new RoundResults()));
        Map<String, WorkerProcess> workers = new LinkedHashMap<>();
        try {
            for (String scheme : CompressionScheme.labels()) {
                context.progress("time to encode and decode, warm-up of " + scheme);
                WorkerProcess worker = WorkerProcess.start(CodingTimeMain.class, context.logs(), List.of(scheme));
                workers.put(scheme, worker);
                worker.ready();
                warmUp(context, worker, records);
            }
            for (int round = 1; round <= context.budget().rounds(); round++) {
                context.progress("time to encode and decode, round " + round);
                for (int count : records) {
                    for (Map.Entry<String, WorkerProcess> worker : turns(workers.entrySet(), round)) {
                        RoundResults.Key key = new RoundResults.Key(worker.getKey(), "", EmployeeFile.bytes(count));
                        for (Map.Entry<String, RoundResults> step : results.entrySet()) {
                            step.getValue()
                                    .add(round, key, codingTime(context, worker.getValue(), step.getKey(), count));
                        }
                    }
                }
            }
        } finally {
            workers.values().forEach(WorkerProcess::close);
        }
        Map<String, List<String>> comparators = new LinkedHashMap<>();
        CompressionScheme.labels()
                .forEach(scheme -> comparators.put(scheme, scheme.equals("gzip") ? List.of() : List.of("gzip")));
        return results.entrySet().stream()
                .map(step -> experiment(
                        "compression-%s-time".formatted(step.getKey()),
                        "Compressed files: processor time to " + step.getKey(),
                        "Processor time of the thread, without that of compilers and the garbage collector. Each scheme has a"
                                + " process of its own. Schemes take turns in %d rounds after a warm-up."
                                        .formatted(context.budget().rounds()),
                        "median",
                        "µs",
                        step.getValue().figures(comparators)))
                .toList();
    }

    private static void warmUp(SuiteContext context, WorkerProcess worker, List<Integer> records)
            throws WorkerException, InterruptedException {
        long turn = context.budget().coldStart().toMillis() / CompressionScheme.values().length;
        for (String step : STEPS) {
            for (int count : records) {
                worker.request("%s %d %d".formatted(step, count, turn / STEPS.size() / records.size()), TIMEOUT);
            }
        }
    }

    private static RoundResults.Entry codingTime(SuiteContext context, WorkerProcess worker, String step, int records)
            throws WorkerException, InterruptedException {
        long millis = Math.max(1, context.budget().turn().toMillis() / CODING_TURNS);
        String[] reply = worker.request("%s %d %d".formatted(step, records, millis), TIMEOUT)
                .split(" ");
        long repetitions = Long.parseLong(reply[1]);
        double micros = Long.parseLong(reply[0]) / NANOS_PER_MICRO / repetitions;
        return new RoundResults.Entry(micros, Map.of(), repetitions);
    }

    private static List<Experiment> transits(SuiteContext context, List<Integer> records)
            throws IOException, WorkerException, InterruptedException {
        List<Experiment> experiments = new ArrayList<>();
        Map<String, List<String>> comparators = new LinkedHashMap<>();
        comparators.put(TransitMain.UNCODED, List.of());
        CompressionScheme.labels().forEach(scheme -> comparators.put(scheme, List.of(TransitMain.UNCODED)));
        try (WorkerProcess worker = WorkerProcess.start(TransitMain.class, context.logs(), List.of())) {
            worker.ready();
            context.progress("transit, warm-up");
            long end = System.nanoTime() + context.budget().coldStart().toNanos() / 2;
            do {
                for (int count : records) {
                    transits(context, worker, TransitLink.LOOPBACK, count, 0, new RoundResults());
                }
            } while (System.nanoTime() - end < 0);
            for (TransitLink link : TransitLink.values()) {
                RoundResults results = new RoundResults();
                for (int round = 0; round <= context.budget().rounds(); round++) {
                    context.progress("transit, %s, round %d".formatted(link.label(), round));
                    for (int count : round == 0 ? records.subList(0, 1) : records) {
                        transits(context, worker, link, count, round, results);
                    }
                }
                experiments.add(transit(context, link, records, results.figures(comparators)));
            }
        }
        return experiments;
    }

    private static void transits(
            SuiteContext context, WorkerProcess worker, TransitLink link, int records, int round, RoundResults results)
            throws WorkerException, InterruptedException {
        List<String> schemes = new ArrayList<>(List.of(TransitMain.UNCODED));
        schemes.addAll(CompressionScheme.labels());
        for (String scheme : turns(schemes, round)) {
            String command =
                    "transit %s %s %d %d".formatted(link.label(), scheme, records, transitMillis(context.budget()));
            String[] reply = worker.request(command, TIMEOUT).split(" ");
            results.add(
                    round,
                    new RoundResults.Key(scheme, "", EmployeeFile.bytes(records)),
                    new RoundResults.Entry(
                            Long.parseLong(reply[0]) / NANOS_PER_MILLI, Map.of(), Long.parseLong(reply[1])));
        }
    }

    private static long transitMillis(TimeBudget budget) {
        return budget.turn().toMillis() / TRANSIT_TURNS;
    }

    private static Experiment transit(
            SuiteContext context, TransitLink link, List<Integer> records, List<Figure> figures) {
        Experiment experiment = experiment(
                "compression-transit-" + link.label(),
                "Compressed files: transit, " + link.description(),
                "Time from sending a message with one element until the listener has it, with encoding and decoding. Two peers in"
                        + " one process, unicast pipes in plain text, a proxy with that rate and delay. Each message is sent after the"
                        + " arrival of the one before, as many as fit into %d ms, at least one, of which the median counts. Schemes take turns in %d rounds after a warm-up."
                                .formatted(
                                        transitMillis(context.budget()),
                                        context.budget().rounds()),
                "median",
                "ms",
                figures);
        return link == TransitLink.DSL
                ? experiment.with(JxtaCompressionStudy.TRANSIT_NOTE, JxtaCompressionStudy.transits(records))
                : experiment;
    }

    /** Returns contenders in an order that differs between rounds, so that none always follows the same one. */
    private static <T> List<T> turns(Collection<T> contenders, int round) {
        List<T> turns = new ArrayList<>(contenders);
        Collections.rotate(turns, round);
        return turns;
    }

    private static Experiment experiment(
            String id, String title, String method, String value, String unit, List<Figure> figures) {
        return new Experiment(
                NAME, id, title, FILES + method, value, unit, Experiment.Better.LESS, Experiment.Chart.LINES, figures);
    }
}

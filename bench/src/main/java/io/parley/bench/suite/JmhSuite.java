package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.util.Statistics;

/** All JMH benchmarks of this module, with the allocation profiler. */
final class JmhSuite implements Suite {

    private static final String BENCHMARKS = "io.parley.bench.jmh";
    private static final String ALLOCATION = "gc.alloc.rate.norm";
    private static final TimeValue QUICK = TimeValue.milliseconds(300);

    @Override
    public String name() {
        return "jmh";
    }

    @Override
    public String sentence() {
        return "The JMH microbenchmarks, with what they allocate; two peers in one JVM.";
    }

    @Override
    public List<Experiment> run(Session session) throws Exception {
        session.progress("JMH (output in jmh.log)");
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(BENCHMARKS)
                .addProfiler(GCProfiler.class)
                .output(Files.createDirectories(session.logs())
                        .resolve("jmh.log")
                        .toString());
        if (!session.budget().equals(Budget.full())) {
            options.forks(1)
                    .warmupIterations(2)
                    .warmupTime(QUICK)
                    .measurementIterations(session.budget().rounds())
                    .measurementTime(QUICK);
        }
        Collection<RunResult> results;
        try {
            results = new Runner(options.build()).run();
        } catch (RunnerException problem) { // such as another JMH at work on this machine
            session.failed("suite jmh", problem, true);
            return List.of();
        }
        List<Figure> times = new ArrayList<>();
        List<Figure> allocations = new ArrayList<>();
        for (RunResult result : results) {
            times.add(figure(result, result.getPrimaryResult()));
            result.getSecondaryResults().forEach((name, secondary) -> {
                if (name.endsWith(ALLOCATION)) {
                    allocations.add(figure(result, secondary));
                }
            });
        }
        String unit = results.stream()
                .map(result -> result.getPrimaryResult().getScoreUnit())
                .findFirst()
                .orElse("");
        return List.of(
                experiment(
                        "jmh-time",
                        "Microbenchmarks: time",
                        "Two peers in one JVM. Shown is the mean, with the range over the iterations; each stack ran"
                                + " in JVMs of its own, one after the other, so do not read small differences into it.",
                        unit,
                        withRatios(session.contenders(), times)),
                experiment(
                        "jmh-allocation",
                        "Microbenchmarks: allocation",
                        "Heap bytes per operation, sender and receiver together.",
                        "B/op",
                        withRatios(session.contenders(), allocations)));
    }

    /** Ratios are taken of whole runs: JMH knows no rounds. */
    private static Figure figure(RunResult run, Result<?> result) {
        String benchmark = run.getParams().getBenchmark().substring(BENCHMARKS.length() + 1);
        String stack = run.getParams().getParam("stack");
        String bytes = run.getParams().getParam("bytes");
        Statistics iterations = result.getStatistics();
        return new Figure(
                stack == null ? benchmark : stack,
                benchmark,
                bytes == null ? 0 : Integer.parseInt(bytes),
                new Spread(result.getScore(), iterations.getMin(), iterations.getMax()),
                Map.of(),
                result.getSampleCount(),
                Map.of());
    }

    private static List<Figure> withRatios(List<Contender> contenders, List<Figure> figures) {
        return figures.stream()
                .map(figure -> figure.withRatios(ratios(contenders, figures, figure)))
                .toList();
    }

    private static Map<String, Spread> ratios(List<Contender> contenders, List<Figure> figures, Figure mine) {
        Map<String, Spread> ratios = new LinkedHashMap<>();
        contenders.stream()
                .filter(contender -> contender.name().equals(mine.contender()))
                .flatMap(contender -> contender.comparators().stream())
                .forEach(comparator -> figures.stream()
                        .filter(other -> other.contender().equals(comparator)
                                && other.form().equals(mine.form())
                                && other.bytes() == mine.bytes())
                        .findFirst()
                        .ifPresent(other -> ratios.put(
                                comparator,
                                Spread.of(List.of(
                                        mine.value().median() / other.value().median())))));
        return ratios;
    }

    private Experiment experiment(String id, String question, String method, String unit, List<Figure> figures) {
        return new Experiment(
                name(),
                id,
                question,
                method,
                "mean",
                unit,
                Experiment.Better.LESS,
                Experiment.Chart.BARS_BY_FORM,
                List.copyOf(figures));
    }
}

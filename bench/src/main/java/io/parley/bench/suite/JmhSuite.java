package io.parley.bench.suite;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

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
                .output(Files.createDirectories(session.logs()).resolve("jmh.log").toString());
        if (!session.budget().equals(Budget.full())) {
            options.forks(1)
                    .warmupIterations(2)
                    .warmupTime(QUICK)
                    .measurementIterations(session.budget().rounds())
                    .measurementTime(QUICK);
        }
        Collection<RunResult> results = new Runner(options.build()).run();
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
                        "Two peers in one JVM. The whole range is JMH's 99.9 % confidence interval; each stack ran in a"
                                + " JVM of its own, so do not read small differences into it.",
                        unit,
                        times),
                experiment(
                        "jmh-allocation",
                        "Microbenchmarks: allocation",
                        "Heap bytes per operation, sender and receiver together.",
                        "B/op",
                        allocations));
    }

    private static Figure figure(RunResult run, Result<?> result) {
        double error = Double.isNaN(result.getScoreError()) ? 0 : result.getScoreError();
        String stack = run.getParams().getParam("stack");
        String bytes = run.getParams().getParam("bytes");
        return new Figure(
                stack == null ? "-" : stack,
                run.getParams().getBenchmark().substring(BENCHMARKS.length() + 1),
                bytes == null ? 0 : Integer.parseInt(bytes),
                new Spread(result.getScore(), Math.max(0, result.getScore() - error), result.getScore() + error),
                Map.of(),
                result.getSampleCount(),
                Map.of());
    }

    private Experiment experiment(String id, String question, String method, String unit, List<Figure> figures) {
        return new Experiment(
                name(),
                id,
                question,
                method,
                "score",
                unit,
                Experiment.Better.LESS,
                Experiment.Chart.BARS,
                List.copyOf(figures));
    }
}

package io.parley.bench.suite;

import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.util.Statistics;

/** Runs JMH benchmarks with the allocation profiler, within the time budget. */
final class JmhRunner {

    private static final String ALLOCATION = "gc.alloc.rate.norm";
    private static final TimeValue QUICK = TimeValue.milliseconds(300);
    private static final TimeValue TINY = TimeValue.milliseconds(1);

    private final Collection<RunResult> results;

    private JmhRunner(Collection<RunResult> results) {
        this.results = results;
    }

    /**
     * Runs one benchmark method.
     *
     * @param suite the suite to name in a failure
     * @param restriction restricts the parameters of the benchmark
     */
    static JmhRunner of(
            SuiteContext context,
            String suite,
            Class<?> benchmark,
            String method,
            Consumer<ChainedOptionsBuilder> restriction)
            throws IOException {
        String name = benchmark.getSimpleName() + "." + method;
        String log = name + ".log";
        context.progress("JMH: " + name + " (output in " + log + ")");
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^\\Q" + benchmark.getName() + "." + method + "\\E$")
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .output(Files.createDirectories(context.logs()).resolve(log).toString());
        shorten(options, context.budget());
        restriction.accept(options);
        try {
            return new JmhRunner(new Runner(options.build()).run());
        } catch (RunnerException failure) { // for example because another JMH run holds the lock of this machine
            context.failed("suite " + suite, failure, true);
            return new JmhRunner(List.of());
        }
    }

    private static void shorten(ChainedOptionsBuilder options, TimeBudget budget) {
        if (budget.isTiny()) {
            options.forks(0)
                    .warmupIterations(0)
                    .measurementIterations(budget.rounds())
                    .measurementTime(TINY);
        } else if (!budget.isFull()) {
            options.forks(1)
                    .warmupIterations(2)
                    .warmupTime(QUICK)
                    .measurementIterations(budget.rounds())
                    .measurementTime(QUICK);
        }
    }

    /** Returns the unit of {@link #times}. */
    String unit() {
        return results.stream()
                .map(result -> result.getPrimaryResult().getScoreUnit())
                .findFirst()
                .orElse("");
    }

    /** Returns the times per operation, without ratios, because JMH has no rounds. */
    List<Figure> times(ParameterNames naming) {
        return results.stream()
                .map(result -> figure(result, result.getPrimaryResult(), naming))
                .toList();
    }

    /** Returns the heap bytes allocated per operation. */
    List<Figure> allocations(ParameterNames naming) {
        List<Figure> figures = new ArrayList<>();
        for (RunResult result : results) {
            result.getSecondaryResults().forEach((name, secondary) -> {
                if (name.endsWith(ALLOCATION)) {
                    figures.add(figure(result, secondary, naming));
                }
            });
        }
        return figures;
    }

    private static Figure figure(RunResult run, Result<?> result, ParameterNames naming) {
        String benchmark = run.getParams().getBenchmark();
        String bytes = run.getParams().getParam("bytes");
        String contender = run.getParams().getParam(naming.contenderParameter());
        String form = run.getParams().getParam(naming.formParameter());
        return new Figure(
                contender == null ? benchmark : contender,
                form == null
                        ? benchmark.substring(benchmark.lastIndexOf('.', benchmark.lastIndexOf('.') - 1) + 1)
                        : form,
                bytes == null ? 0 : Integer.parseInt(bytes),
                iterations(result.getStatistics()),
                Map.of(),
                result.getSampleCount(),
                Map.of());
    }

    /** Returns the spread of the iterations, which are the rounds of a benchmark. */
    private static Spread iterations(Statistics statistics) {
        List<Double> values = new ArrayList<>();
        statistics.getRawData().forEachRemaining(value -> {
            for (long i = 0; i < value.getValue(); i++) {
                values.add(value.getKey());
            }
        });
        return Spread.of(values);
    }

    /**
     * The names of the benchmark parameters that contain the contender and the form. If a benchmark has no parameter
     * for the form, the name of its method is the form.
     */
    record ParameterNames(String contenderParameter, String formParameter) {}
}

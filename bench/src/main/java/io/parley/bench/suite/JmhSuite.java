package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.jmh.EchoBenchmark;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import java.util.List;

/** Measures a round trip as a JMH benchmark, with the allocation profiler. */
final class JmhSuite implements Suite {

    private static final JmhRunner.ParameterNames NAMING = new JmhRunner.ParameterNames("stack", "");

    @Override
    public String name() {
        return "jmh";
    }

    @Override
    public String description() {
        return "JMH microbenchmark of a round trip, with its heap allocation; two peers in one JVM.";
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        JmhRunner run = JmhRunner.of(context, name(), EchoBenchmark.class, "roundTrip", options -> {});
        return List.of(
                experiment(
                        "jmh-time",
                        "Microbenchmarks: time",
                        "Two peers in one JVM. The figure is the median, with the range over the iterations. Each stack"
                                + " ran in JVMs of its own, one after the other; small differences are therefore not"
                                + " significant.",
                        run.unit(),
                        withRatios(context, run.times(NAMING))),
                experiment(
                        "jmh-allocation",
                        "Microbenchmarks: allocation",
                        "Heap bytes per operation, sender and receiver together.",
                        "B/op",
                        withRatios(context, run.allocations(NAMING))));
    }

    private static List<Figure> withRatios(SuiteContext context, List<Figure> figures) {
        return RatioCalculator.of(
                figures,
                name -> context.contenders().stream()
                        .filter(contender -> contender.name().equals(name))
                        .findFirst()
                        .map(Contender::comparators)
                        .orElse(List.of()));
    }

    private Experiment experiment(String id, String title, String method, String unit, List<Figure> figures) {
        return new Experiment(
                name(),
                id,
                title,
                method,
                "median",
                unit,
                Experiment.Better.LESS,
                Experiment.Chart.BARS_BY_FORM,
                List.copyOf(figures));
    }
}

package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.jmh.EchoBenchmark;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import java.util.List;

/** A round trip as a JMH benchmark, with the allocation profiler. */
final class JmhSuite implements Suite {

    private static final JmhRunner.ParameterNames NAMING = new JmhRunner.ParameterNames("stack", "");

    @Override
    public String name() {
        return "jmh";
    }

    @Override
    public String sentence() {
        return "The JMH microbenchmark of a round trip, with what it allocates; two peers in one JVM.";
    }

    @Override
    public List<Experiment> run(SuiteContext session) throws Exception {
        JmhRunner run = JmhRunner.of(session, name(), EchoBenchmark.class, "roundTrip", options -> {});
        return List.of(
                experiment(
                        "jmh-time",
                        "Microbenchmarks: time",
                        "Two peers in one JVM. Shown is the mean, with the range over the iterations; each stack ran"
                                + " in JVMs of its own, one after the other, so do not read small differences into it.",
                        run.unit(),
                        withRatios(session, run.times(NAMING))),
                experiment(
                        "jmh-allocation",
                        "Microbenchmarks: allocation",
                        "Heap bytes per operation, sender and receiver together.",
                        "B/op",
                        withRatios(session, run.allocations(NAMING))));
    }

    private static List<Figure> withRatios(SuiteContext session, List<Figure> figures) {
        return RatioCalculator.of(
                figures,
                name -> session.contenders().stream()
                        .filter(contender -> contender.name().equals(name))
                        .findFirst()
                        .map(Contender::comparators)
                        .orElse(List.of()));
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

package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.jmh.EchoBenchmark;
import io.parley.bench.jmh.FloodBenchmark;
import io.parley.bench.jmh.PeerBenchmark;
import io.parley.bench.jmh.RequestBenchmark;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Measures round trips, messages one way, requests and operations of a peer as JMH benchmarks, with the allocation profiler. */
final class JmhSuite implements Suite {

    private static final JmhRunner.ParameterNames NAMING = new JmhRunner.ParameterNames("stack", "");

    private static final String PIPE = "parley-pipe";
    private static final String PEER = "parley";

    @Override
    public String name() {
        return "jmh";
    }

    @Override
    public String description() {
        return "JMH microbenchmarks of messages, requests and peers, with their heap allocation; two peers in one JVM.";
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        List<Experiment> experiments = new ArrayList<>();
        measure(context, EchoBenchmark.class, "roundTrip", PIPE, "", "round trip", experiments);
        measure(context, FloodBenchmark.class, "oneWay", PIPE, "-one-way", "message, one way", experiments);
        measure(
                context,
                RequestBenchmark.class,
                "request",
                "parley-request",
                "-request",
                "request with its response",
                experiments);
        measure(
                context,
                PeerBenchmark.class,
                "startAndClose",
                PEER,
                "-peer-start",
                "start of a peer, with its end",
                experiments);
        measure(
                context,
                PeerBenchmark.class,
                "openInput",
                PEER,
                "-open-input",
                "input pipe, opened and closed",
                experiments);
        measure(
                context,
                PeerBenchmark.class,
                "openOutput",
                PEER,
                "-open-output",
                "output pipe, connected and closed",
                experiments);
        return experiments;
    }

    /** @param tinyStack the only stack with the smallest budget, which runs in the JVM of the runner */
    private void measure(
            SuiteContext context,
            Class<?> benchmark,
            String method,
            String tinyStack,
            String suffix,
            String operation,
            List<Experiment> experiments)
            throws IOException {
        JmhRunner run = JmhRunner.of(context, name(), benchmark, method, options -> {
            if (context.budget().isTiny()) {
                options.param("stack", tinyStack);
            }
        });
        experiments.add(experiment(
                "jmh" + suffix + "-time",
                "Microbenchmarks: time of a " + operation,
                "Two peers in one JVM. The figure is the median, with the range over the iterations. Each stack"
                        + " ran in JVMs of its own, one after the other; small differences are therefore not"
                        + " significant.",
                run.unit(),
                withRatios(context, run.times(NAMING))));
        experiments.add(experiment(
                "jmh" + suffix + "-allocation",
                "Microbenchmarks: allocation of a " + operation,
                "Heap bytes per operation, both peers together.",
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

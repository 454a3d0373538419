package io.parley.bench.suite;

import io.parley.bench.operation.Operation;
import io.parley.bench.operation.PeerStack;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.worker.EnvironmentProvider;
import io.parley.bench.worker.MeasuredPeerProcess;
import io.parley.bench.worker.PeerEnvironment;
import io.parley.bench.worker.PeerStackRegistry;
import io.parley.bench.worker.WorkerException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Measures the operations of a peer from its start to its first message and its shutdown, one after the other. */
final class OperationsSuite implements Suite {

    private static final String PARLEY = "parley";
    private static final String WARM = ", warm";
    private static final String COLD = ", cold";
    private static final String METHOD =
            "One peer runs the operations one after the other. The other peer and the rendezvous run in separate"
                    + " processes. Each run uses a new copy of the same home. Cold: a new process that runs one peer,"
                    + " in an environment of new processes that started 1 s before. Warm: the process has run other"
                    + " peers before, and its environment remains. The environment of JXTA is new for each run because"
                    + " it cannot serve a second peer; this increases JXTA's times if an operation waits for these"
                    + " processes and not for a timer.";

    @Override
    public String name() {
        return "peer-operations";
    }

    @Override
    public String description() {
        return "Time of each operation of a peer from its start to its first message and its shutdown.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(Paper.COSTS.experiment("table 1"));
    }

    @Override
    public List<String> contenderNames() {
        return PeerStackRegistry.all().stream().map(PeerStack::contender).toList();
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        List<Experiment> experiments = new ArrayList<>();
        OperationTimes shortest = new OperationTimes();
        for (PeerEnvironment environment : RunPlan.environments(context.budget())) {
            OperationTimes all = new OperationTimes();
            for (PeerStack stack : stacks(context)) {
                context.progress("operations of %s, %s".formatted(stack.name(), environment.label()));
                measure(context, stack, environment, all, shortest);
            }
            List<Figure> figures = new ArrayList<>(all.figures());
            figures.addAll(JxtaCostStudy.figures(environment));
            experiments.add(experiment(
                    "operations-" + environment.label(),
                    "Operations of a peer, " + title(environment),
                    METHOD + warmMethod(context) + " " + JxtaCostStudy.NOTE,
                    figures));
            context.keep(experiments);
        }
        experiments.add(experiment(
                "to-first-message",
                "From the start to the first message",
                "Time from building a peer until the other peer receives a message through a pipe that is found by its"
                        + " name through the rendezvous, with the fewest operations. " + METHOD + warmMethod(context)
                        + " The start of the JVM is not included.",
                shortest.sums()));
        return experiments;
    }

    private static String warmMethod(SuiteContext context) {
        return stacks(context).stream()
                .map(stack -> stack.name() + " " + RunPlan.warmUp(context.budget(), stack))
                .collect(Collectors.joining(", ", " Warm-up runs before the first measured run: ", "."));
    }

    private static String title(PeerEnvironment environment) {
        return switch (environment) {
            case NEARBY -> "without a rendezvous";
            case CACHED -> "without a rendezvous, with 40 advertisements in the cache";
            case RENDEZVOUS -> "with a rendezvous";
            case FAR_RENDEZVOUS -> "with a rendezvous 67 ms away";
        };
    }

    private static List<PeerStack> stacks(SuiteContext context) {
        return PeerStackRegistry.all().stream()
                .filter(stack -> context.contenders().stream()
                        .anyMatch(contender -> contender.name().equals(stack.contender())))
                .toList();
    }

    private static void measure(
            SuiteContext context,
            PeerStack stack,
            PeerEnvironment environment,
            OperationTimes all,
            OperationTimes shortest)
            throws IOException, InterruptedException {
        measure(context, stack, environment, stack.operations(environment.hasRendezvous()), all);
        if (environment.hasDirectRendezvous() || context.budget().isTiny()) {
            measure(context, stack, environment, stack.straight(), shortest);
        }
    }

    /** Measures cold and warm runs. If a run fails, the results of earlier runs are kept. */
    private static void measure(
            SuiteContext context,
            PeerStack stack,
            PeerEnvironment environment,
            Set<Operation> operations,
            OperationTimes times)
            throws IOException, InterruptedException {
        RunPlan plan = RunPlan.of(context.budget(), stack, environment);
        try (EnvironmentProvider provider = new EnvironmentProvider(stack, environment, context.logs())) {
            for (int i = 0; i < plan.cold(); i++) {
                try (MeasuredPeerProcess measuredPeer = provider.startMeasuredPeer()) {
                    times.add(stack.name() + COLD, measuredPeer.run(provider.restart(), operations));
                }
            }
            try (MeasuredPeerProcess measuredPeer = provider.startMeasuredPeer()) {
                for (int i = -plan.warmUp(); i < plan.warm(); i++) {
                    Map<Operation, Double> durations = measuredPeer.run(provider.next(), operations);
                    if (i >= 0) {
                        times.add(stack.name() + WARM, durations);
                    }
                }
            }
        } catch (WorkerException failure) {
            context.failed(stack.name() + ", operations " + environment.label(), failure, true);
        }
    }

    private static Experiment experiment(String id, String title, String method, List<Figure> figures) {
        return new Experiment(
                "peer-operations",
                id,
                title,
                method,
                "median",
                "ms",
                Experiment.Better.LESS,
                Experiment.Chart.BARS_BY_FORM,
                RatioCalculator.of(
                        figures,
                        name -> figures.stream()
                                .map(Figure::contender)
                                .filter(other -> name.startsWith(PARLEY) && !other.startsWith(PARLEY))
                                .filter(other -> isComparable(name, other))
                                .distinct()
                                .toList()));
    }

    /**
     * Returns whether two contenders are comparable: cold with cold, warm with warm, and a contender that is neither
     * with both.
     */
    private static boolean isComparable(String name, String other) {
        return name.endsWith(WARM) ? !other.endsWith(COLD) : !other.endsWith(WARM);
    }
}

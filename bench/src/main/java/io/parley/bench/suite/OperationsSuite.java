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

/** What a peer does from its start to its first message and its end, one after the other. */
final class OperationsSuite implements Suite {

    private static final String OURS = "parley";
    private static final String WARM = ", warm";
    private static final String COLD = ", cold";
    private static final String METHOD =
            "One peer does one thing after the other, in processes apart from those of the peer that it talks to and of the"
                    + " rendezvous; each time with a new copy of the same home. Cold: a new process, of which this is all, and"
                    + " new processes around it, a second old. Warm: the same process did it before. The processes around it"
                    + " stay then, but for JXTA they are new each time, as they serve no second peer, which counts against"
                    + " JXTA where it waits for them and not for a timer.";

    @Override
    public String name() {
        return "peer-operations";
    }

    @Override
    public String sentence() {
        return "How long a peer takes for each thing it does from its start to its first message and its end.";
    }

    @Override
    public List<String> about() {
        return PeerStackRegistry.all().stream().map(PeerStack::contender).toList();
    }

    @Override
    public List<Experiment> run(SuiteContext session) throws Exception {
        List<Experiment> experiments = new ArrayList<>();
        OperationTimes straight = new OperationTimes();
        for (PeerEnvironment surroundings : RunPlan.surroundings(session.budget())) {
            OperationTimes all = new OperationTimes();
            for (PeerStack stack : stacks(session)) {
                session.progress("operations of %s, %s".formatted(stack.name(), surroundings.label()));
                measure(session, stack, surroundings, all, straight);
            }
            List<Figure> figures = new ArrayList<>(all.figures());
            figures.addAll(JxtaCostStudy.figures(surroundings));
            experiments.add(experiment(
                    "operations-" + surroundings.label(),
                    "What a peer does, " + title(surroundings),
                    METHOD + warmMethod(session) + " " + JxtaCostStudy.NOTE,
                    figures));
        }
        experiments.add(experiment(
                "to-first-message",
                "From the start to the first message",
                "The shortest way from building a peer to a message at the other, through a pipe that is found by its name"
                        + " by way of the rendezvous. " + METHOD + warmMethod(session)
                        + " The start of the virtual machine is not in it.",
                straight.sums()));
        return experiments;
    }

    private static String warmMethod(SuiteContext session) {
        return stacks(session).stream()
                .map(stack ->
                        stack.name() + " " + RunPlan.of(session.budget(), stack).warmUp())
                .collect(Collectors.joining(", ", " The times that came before the first that counts: ", "."));
    }

    private static String title(PeerEnvironment surroundings) {
        return switch (surroundings) {
            case NEARBY -> "without a rendezvous";
            case CACHED -> "without a rendezvous, with 40 advertisements in the cache";
            case RENDEZVOUS -> "with a rendezvous";
            case FAR_RENDEZVOUS -> "with a rendezvous 67 ms away";
        };
    }

    private static List<PeerStack> stacks(SuiteContext session) {
        return PeerStackRegistry.all().stream()
                .filter(stack -> session.contenders().stream()
                        .anyMatch(contender -> contender.name().equals(stack.contender())))
                .toList();
    }

    private static void measure(
            SuiteContext session,
            PeerStack stack,
            PeerEnvironment surroundings,
            OperationTimes all,
            OperationTimes straight)
            throws IOException, InterruptedException {
        measure(session, stack, surroundings, stack.operations(surroundings.hasRendezvous()), all);
        if (surroundings.isNearestRendezvous() || session.budget().isTiny()) {
            measure(session, stack, surroundings, stack.straight(), straight);
        }
    }

    /** What was measured before something fails stays. */
    private static void measure(
            SuiteContext session,
            PeerStack stack,
            PeerEnvironment surroundings,
            Set<Operation> operations,
            OperationTimes times)
            throws IOException, InterruptedException {
        RunPlan lives = RunPlan.of(session.budget(), stack);
        try (EnvironmentProvider neighbours = new EnvironmentProvider(stack, surroundings, session.logs())) {
            for (int i = 0; i < lives.cold(); i++) {
                try (MeasuredPeerProcess resident = neighbours.resident()) {
                    times.add(stack.name() + COLD, resident.live(neighbours.fresh(), operations));
                }
            }
            try (MeasuredPeerProcess resident = neighbours.resident()) {
                for (int i = -lives.warmUp(); i < lives.warm(); i++) {
                    Map<Operation, Double> life = resident.live(neighbours.next(), operations);
                    if (i >= 0) {
                        times.add(stack.name() + WARM, life);
                    }
                }
            }
        } catch (WorkerException problem) {
            session.failed(stack.name() + ", operations " + surroundings.label(), problem, true);
        }
    }

    private static Experiment experiment(String id, String question, String method, List<Figure> figures) {
        return new Experiment(
                "peer-operations",
                id,
                question,
                method,
                "median",
                "ms",
                Experiment.Better.LESS,
                Experiment.Chart.BARS_BY_FORM,
                RatioCalculator.of(
                        figures,
                        name -> figures.stream()
                                .map(Figure::contender)
                                .filter(other -> name.startsWith(OURS) && !other.startsWith(OURS))
                                .filter(other -> isLike(name, other))
                                .distinct()
                                .toList()));
    }

    /** Cold goes with cold, warm with warm, and what is neither with both. */
    private static boolean isLike(String ours, String other) {
        return ours.endsWith(WARM) ? !other.endsWith(COLD) : !other.endsWith(WARM);
    }
}

package io.parley.bench;

import io.parley.bench.result.Experiment;
import io.parley.bench.suite.Suite;
import io.parley.bench.suite.SuiteContext;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** Runs suites one after the other. If one fails, the run keeps what it has, and goes on with the next one. */
final class SuiteSequence {

    private final Function<Suite, SuiteContext> contexts;
    private final Consumer<List<Experiment>> results;
    private final PrintWriter log;
    private final List<Experiment> experiments = new ArrayList<>();

    /**
     * Creates a sequence.
     *
     * @param contexts returns the context of each suite
     * @param results gets all experiments so far, each time that there are more
     */
    SuiteSequence(Function<Suite, SuiteContext> contexts, Consumer<List<Experiment>> results, PrintWriter log) {
        this.contexts = contexts;
        this.results = results;
        this.log = log;
    }

    void run(List<Suite> suites) throws InterruptedException {
        for (Suite suite : suites) {
            experiments.addAll(completed(suite));
            results.accept(List.copyOf(experiments));
        }
    }

    private List<Experiment> completed(Suite suite) throws InterruptedException {
        List<Experiment> kept = new ArrayList<>();
        SuiteContext context = contexts.apply(suite).keepingResults(completed -> {
            kept.clear();
            kept.addAll(completed);
            results.accept(Stream.concat(experiments.stream(), kept.stream()).toList());
        });
        try {
            return suite.run(context);
        } catch (InterruptedException interrupted) {
            throw interrupted;
        } catch (Exception failure) {
            failure.printStackTrace(log);
            context.failed(suite.name(), failure, true);
            return kept;
        }
    }
}

package io.parley.bench.suite;

import io.parley.bench.result.Experiment;
import java.util.List;

/** A set of experiments that run together. */
public interface Suite {

    /** Returns the name on the command line. */
    String name();

    /** Returns one sentence that describes the measured properties. */
    String description();

    /** Returns the experiments of papers that the suite repeats or extends; empty if there is none. */
    default List<PaperExperiment> paperExperiments() {
        return List.of();
    }

    /** Returns the names of the contenders for which the suite is made; empty if it accepts all. */
    default List<String> contenderNames() {
        return List.of();
    }

    /** Returns the names of the stream contenders of the suite; empty if it measures no streams. */
    default List<String> streamNames() {
        return List.of();
    }

    /**
     * Runs the suite. A contender that fails loses its round or its figure (see {@link SuiteContext#failures}). The
     * method throws only if the whole suite cannot continue; then what it has {@linkplain SuiteContext#keep kept} remains.
     */
    List<Experiment> run(SuiteContext context) throws Exception;
}

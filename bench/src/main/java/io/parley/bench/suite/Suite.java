package io.parley.bench.suite;

import io.parley.bench.result.Experiment;
import java.util.List;

/** Some experiments that are run together. */
public interface Suite {

    /** The word on the command line. */
    String name();

    /** What it tells, in a sentence. */
    String sentence();

    /** Names of the contenders that the suite is about; empty where all are welcome. */
    default List<String> about() {
        return List.of();
    }

    /**
     * Runs it. A contender that fails loses its round or its figure (see {@link SuiteContext#failures}); only what stops
     * the whole suite is thrown.
     */
    List<Experiment> run(SuiteContext session) throws Exception;
}

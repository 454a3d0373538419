package io.parley.bench.result;

import java.util.List;

/**
 * The results of a run.
 *
 * @param started the start time, in ISO 8601 format
 * @param budget the name of the time budget; the figures of a quick run are less precise
 * @param failures the failures with their reasons: contenders that did not take part, and lost rounds and figures
 */
public record Results(
        String started,
        double seconds,
        String budget,
        int rounds,
        Machine machine,
        List<Entrant> contenders,
        List<Experiment> experiments,
        List<String> failures) {

    /**
     * A contender that took part.
     *
     * @param details the choices of the contender at run time
     */
    public record Entrant(String name, String description, String details, List<String> comparators) {}
}

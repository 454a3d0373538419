package io.parley.bench.result;

import java.util.List;

/**
 * A whole run.
 *
 * @param started ISO-8601
 * @param budget which lengths were used: a quick run's figures are rougher
 * @param failures what went wrong: contenders that did not take part, rounds and figures that were lost, and why
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
     * @param details what it chose at run time
     */
    public record Entrant(String name, String description, String details, List<String> comparators) {}
}

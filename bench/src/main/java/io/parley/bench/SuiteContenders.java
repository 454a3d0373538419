package io.parley.bench;

import io.parley.bench.contender.Contender;
import io.parley.bench.suite.Suite;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Selects the contenders of each suite.
 *
 * @param available the contenders that can run here
 * @param requested the names given on the command line; {@code null} if none were given
 */
record SuiteContenders(List<Contender> available, @Nullable List<String> requested) {

    /**
     * Returns the contenders of {@code suite}. A suite that names its contenders runs only those. Any other suite runs
     * the requested contenders, or, without a request, all except those that run only by name.
     */
    List<Contender> of(Suite suite) {
        List<String> suiteNames = suite.contenderNames();
        Predicate<Contender> accepted = suiteNames.isEmpty()
                ? contender -> requested != null || !contender.onlyByName()
                : contender -> suiteNames.contains(contender.name());
        return available.stream()
                .filter(contender -> requested == null || requested.contains(contender.name()))
                .filter(accepted)
                .toList();
    }

    /** Returns the contenders of at least one of {@code suites}, in order. */
    List<Contender> of(List<Suite> suites) {
        return available.stream()
                .filter(contender -> suites.stream().anyMatch(suite -> of(suite).contains(contender)))
                .toList();
    }
}

package io.parley.bench;

import io.parley.bench.contender.Contender;
import io.parley.bench.suite.Suite;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who takes part in which suite.
 *
 * @param able those that can run here
 * @param named those asked for; {@code null} when nobody asked
 */
record SuiteContenders(List<Contender> able, @Nullable List<String> named) {

    /** A suite that is about some contenders is left to them; to the others come those asked for, or all but the special ones. */
    List<Contender> of(Suite suite) {
        List<String> about = suite.about();
        Predicate<Contender> welcome = about.isEmpty()
                ? contender -> named != null || !contender.onlyByName()
                : contender -> about.contains(contender.name());
        return able.stream()
                .filter(contender -> named == null || named.contains(contender.name()))
                .filter(welcome)
                .toList();
    }

    /** Who takes part in any of them, in order. */
    List<Contender> of(List<Suite> suites) {
        return able.stream()
                .filter(contender -> suites.stream().anyMatch(suite -> of(suite).contains(contender)))
                .toList();
    }
}

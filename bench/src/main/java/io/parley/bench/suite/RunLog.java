package io.parley.bench.suite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What all suites of a run have to tell beside their figures. Not thread-safe. */
final class RunLog {

    private final Consumer<String> progress;
    private final Map<String, String> details = new LinkedHashMap<>();
    private final List<String> failures = new ArrayList<>();
    private boolean incomplete;

    RunLog(Consumer<String> progress) {
        this.progress = progress;
    }

    void progress(String line) {
        progress.accept(line);
    }

    void failed(String what, Exception why, boolean givenUp) {
        failures.add(what + ": " + why.getMessage());
        incomplete |= givenUp;
        progress.accept("failed: " + what + ": " + why.getMessage());
    }

    void started(String contender, String choices) {
        details.put(contender, choices);
    }

    List<String> failures() {
        return List.copyOf(failures);
    }

    boolean incomplete() {
        return incomplete;
    }

    Map<String, String> details() {
        return Map.copyOf(details);
    }
}

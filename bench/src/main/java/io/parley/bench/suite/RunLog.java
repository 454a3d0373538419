package io.parley.bench.suite;

import io.parley.bench.worker.WorkerException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The progress, failures and contender details of all suites of a run. Not thread-safe. */
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

    void failed(String operation, Exception cause, boolean abandoned) {
        // the message of another exception is no sentence, or is absent
        String line = operation + ": " + (cause instanceof WorkerException ? cause.getMessage() : cause);
        failures.add(line);
        incomplete |= abandoned;
        progress.accept("Failed: " + line);
    }

    void started(String contender, String contenderDetails) {
        details.put(contender, contenderDetails);
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

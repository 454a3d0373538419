package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.worker.Pair;
import io.parley.bench.worker.WorkerException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What the suites of one run share. Not thread-safe. */
public final class Session {

    private final List<Contender> contenders;
    private final Budget budget;
    private final Path logs;
    private final Consumer<String> progress;
    private final Map<String, String> details = new LinkedHashMap<>();
    private final List<String> failures = new ArrayList<>();
    private boolean incomplete;

    /** {@code progress} is told in short lines what goes on. */
    public Session(List<Contender> contenders, Budget budget, Path logs, Consumer<String> progress) {
        this.contenders = List.copyOf(contenders);
        this.budget = budget;
        this.logs = logs;
        this.progress = progress;
    }

    /** Who takes part. */
    public List<Contender> contenders() {
        return contenders;
    }

    /** How long to take. */
    public Budget budget() {
        return budget;
    }

    /** Where logs go. */
    Path logs() {
        return logs;
    }

    void progress(String line) {
        progress.accept(line);
    }

    /** What went wrong, in sentences for the report. */
    public List<String> failures() {
        return List.copyOf(failures);
    }

    /** Whether a contender was given up, so that a figure is missing or rests on fewer rounds than it should. */
    public boolean incomplete() {
        return incomplete;
    }

    void failed(String what, Exception why, boolean givenUp) {
        failures.add(what + ": " + why.getMessage());
        incomplete |= givenUp;
        progress.accept("failed: " + what + ": " + why.getMessage());
    }

    /** What each contender has chosen at run time. */
    public Map<String, String> details() {
        return Map.copyOf(details);
    }

    /** Safe to call from several threads at once. */
    Pair start(Contender contender) throws IOException, WorkerException, InterruptedException {
        return Pair.start(contender, logs);
    }

    Pair startTapped(Contender contender) throws IOException, WorkerException, InterruptedException {
        Pair pair = Pair.startTapped(contender, logs);
        started(contender, pair);
        return pair;
    }

    void started(Contender contender, Pair pair) {
        details.put(contender.name(), pair.details());
    }
}

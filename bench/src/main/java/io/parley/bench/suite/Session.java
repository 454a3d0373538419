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
    private final List<String> missing = new ArrayList<>();

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

    /** What has no figure, and why. */
    public List<String> missing() {
        return List.copyOf(missing);
    }

    void missing(String what, Exception why) {
        missing.add(what + ": " + why.getMessage());
        progress.accept("no figure for " + what + ": " + why.getMessage());
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

package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.WorkerException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What a suite is run with. Not thread-safe. */
public final class SuiteContext {

    private final List<Contender> contenders;
    private final TimeBudget budget;
    private final Path logs;
    private final RunLog protocol;

    /** {@code progress} is told in short lines what goes on. */
    public SuiteContext(List<Contender> contenders, TimeBudget budget, Path logs, Consumer<String> progress) {
        this(contenders, budget, logs, new RunLog(progress));
    }

    private SuiteContext(List<Contender> contenders, TimeBudget budget, Path logs, RunLog protocol) {
        this.contenders = List.copyOf(contenders);
        this.budget = budget;
        this.logs = logs;
        this.protocol = protocol;
    }

    /** The same session with others taking part. */
    public SuiteContext with(List<Contender> others) {
        return new SuiteContext(others, budget, logs, protocol);
    }

    /** Who takes part. */
    public List<Contender> contenders() {
        return contenders;
    }

    /** How long to take. */
    public TimeBudget budget() {
        return budget;
    }

    /** Where logs go. */
    Path logs() {
        return logs;
    }

    void progress(String line) {
        protocol.progress(line);
    }

    /** What went wrong, in sentences for the report. */
    public List<String> failures() {
        return protocol.failures();
    }

    /** Whether a contender was given up, so that a figure is missing or rests on fewer rounds than it should. */
    public boolean incomplete() {
        return protocol.incomplete();
    }

    void failed(String what, Exception why, boolean givenUp) {
        protocol.failed(what, why, givenUp);
    }

    /** What each contender has chosen at run time. */
    public Map<String, String> details() {
        return protocol.details();
    }

    /** Safe to call from several threads at once. */
    ProcessPair start(Contender contender) throws IOException, WorkerException, InterruptedException {
        return ProcessPair.start(contender, logs);
    }

    ProcessPair startTapped(Contender contender) throws IOException, WorkerException, InterruptedException {
        ProcessPair pair = ProcessPair.startTapped(contender, logs);
        started(contender, pair);
        return pair;
    }

    void started(Contender contender, ProcessPair pair) {
        protocol.started(contender.name(), pair.details());
    }
}

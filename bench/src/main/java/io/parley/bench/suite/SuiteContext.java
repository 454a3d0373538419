package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.FanOutContender;
import io.parley.bench.result.Experiment;
import io.parley.bench.stream.StreamContender;
import io.parley.bench.worker.FanOutProcesses;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.StreamPair;
import io.parley.bench.worker.StreamSetting;
import io.parley.bench.worker.WorkerException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The contenders, budget, log directory and run log of a suite, and what keeps its first results. Not thread-safe. */
public final class SuiteContext {

    private final List<Contender> contenders;
    private final List<StreamContender> streams;
    private final Set<NetPipeVariant> netPipeVariants;
    private final TimeBudget budget;
    private final Path logs;
    private final RunLog runLog;
    private final Consumer<List<Experiment>> results;

    /** Creates a context that passes short progress messages to {@code progress}. */
    public SuiteContext(List<Contender> contenders, TimeBudget budget, Path logs, Consumer<String> progress) {
        this(contenders, List.of(), Set.of(), budget, logs, new RunLog(progress), experiments -> {});
    }

    private SuiteContext(
            List<Contender> contenders,
            List<StreamContender> streams,
            Set<NetPipeVariant> netPipeVariants,
            TimeBudget budget,
            Path logs,
            RunLog runLog,
            Consumer<List<Experiment>> results) {
        this.contenders = List.copyOf(contenders);
        this.streams = List.copyOf(streams);
        this.netPipeVariants = Set.copyOf(netPipeVariants);
        this.budget = budget;
        this.logs = logs;
        this.runLog = runLog;
        this.results = results;
    }

    /** Returns a context with other contenders and the same run log. */
    public SuiteContext with(List<Contender> others, List<StreamContender> otherStreams) {
        return new SuiteContext(others, otherStreams, netPipeVariants, budget, logs, runLog, results);
    }

    /** Returns a context for these parts of the suite {@code netpipe}; if empty, for its figure of all contenders. */
    public SuiteContext with(Set<NetPipeVariant> variants) {
        return new SuiteContext(contenders, streams, variants, budget, logs, runLog, results);
    }

    /** Returns a context that passes the experiments that a suite has completed to {@code keeper}, each time all of them. */
    public SuiteContext keepingResults(Consumer<List<Experiment>> keeper) {
        return new SuiteContext(contenders, streams, netPipeVariants, budget, logs, runLog, keeper);
    }

    /** Keeps the experiments that a long suite has completed, in case that it does not reach its end. */
    public void keep(List<Experiment> completed) {
        results.accept(List.copyOf(completed));
    }

    /** Returns the stream contenders that take part. */
    public List<StreamContender> streams() {
        return streams;
    }

    /** Returns the parts of the suite {@code netpipe} that run instead of its figure of all contenders. */
    Set<NetPipeVariant> netPipeVariants() {
        return netPipeVariants;
    }

    /** Returns the contenders that take part. */
    public List<Contender> contenders() {
        return contenders;
    }

    /** Returns the time budget. */
    public TimeBudget budget() {
        return budget;
    }

    /** Returns the directory for logs. */
    Path logs() {
        return logs;
    }

    void progress(String line) {
        runLog.progress(line);
    }

    /** Returns the failures, as sentences for the report. */
    public List<String> failures() {
        return runLog.failures();
    }

    /** Returns whether a contender was abandoned, so that a figure is missing or is based on too few rounds. */
    public boolean incomplete() {
        return runLog.incomplete();
    }

    /**
     * Records a failure.
     *
     * @param abandoned whether a figure is missing or is based on too few rounds
     */
    public void failed(String operation, Exception cause, boolean abandoned) {
        runLog.failed(operation, cause, abandoned);
    }

    /** Returns the choices of each contender at run time. */
    public Map<String, String> details() {
        return runLog.details();
    }

    /** Starts a pair. Thread-safe. */
    ProcessPair start(Contender contender) throws IOException, WorkerException, InterruptedException {
        return ProcessPair.start(contender, logs);
    }

    ProcessPair startTapped(Contender contender) throws IOException, WorkerException, InterruptedException {
        ProcessPair pair = ProcessPair.startTapped(contender, logs);
        started(contender, pair);
        return pair;
    }

    FanOutProcesses start(FanOutContender contender) throws IOException, WorkerException, InterruptedException {
        FanOutProcesses processes = FanOutProcesses.start(contender, logs);
        runLog.started(contender.name(), processes.details());
        return processes;
    }

    StreamPair start(StreamContender contender, StreamSetting setting)
            throws IOException, WorkerException, InterruptedException {
        StreamPair pair = StreamPair.start(contender, setting, logs);
        runLog.started(contender.name(), pair.details());
        return pair;
    }

    void started(Contender contender, ProcessPair pair) {
        runLog.started(contender.name(), pair.details());
    }
}

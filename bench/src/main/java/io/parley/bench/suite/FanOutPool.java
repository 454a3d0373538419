package io.parley.bench.suite;

import io.parley.bench.contender.FanOutContender;
import io.parley.bench.worker.FanOutProcesses;
import io.parley.bench.worker.WorkerException;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The running processes of contenders with many receivers, which take turns. They start at their first turn. A contender that fails is
 * abandoned.
 */
final class FanOutPool implements AutoCloseable {

    private static final int COLD_START_BYTES = 1024;
    private static final int COLD_START_MESSAGES = 1000;

    private final SuiteContext context;
    private final Map<String, FanOutProcesses> running = new HashMap<>();
    private final Set<String> abandoned = new HashSet<>();

    FanOutPool(SuiteContext context) {
        this.context = context;
    }

    /** Runs one turn of each contender in every round of the budget. Round 0 is the warm-up. */
    void runRounds(String measurement, List<FanOutContender> contenders, Turn turn)
            throws IOException, InterruptedException {
        for (int round = 0; round <= context.budget().rounds(); round++) {
            String name = round == 0 ? measurement + ", warm-up" : measurement + ", round " + round;
            context.progress(name);
            for (FanOutContender contender : contenders) {
                runTurn(name, contender, round, turn);
            }
        }
    }

    private void runTurn(String operation, FanOutContender contender, int round, Turn turn)
            throws IOException, InterruptedException {
        String name = contender.name();
        if (abandoned.contains(name)) {
            return;
        }
        try {
            turn.run(contender, processes(contender), round);
        } catch (WorkerException failure) {
            abandoned.add(name);
            FanOutProcesses failed = running.remove(name);
            if (failed != null) {
                failed.close();
            }
            context.failed(name + ", " + operation, failure, true);
        }
    }

    private FanOutProcesses processes(FanOutContender contender)
            throws IOException, WorkerException, InterruptedException {
        FanOutProcesses processes = running.get(contender.name());
        if (processes == null) {
            processes = context.start(contender);
            running.put(contender.name(), processes);
            compile(processes);
        }
        return processes;
    }

    /** Publishes to one receiver until the JVMs of both sides have compiled the code in use. */
    private void compile(FanOutProcesses processes) throws WorkerException, InterruptedException {
        processes.receivers(1);
        processes.prepare(COLD_START_BYTES);
        long start = System.nanoTime();
        do {
            processes.publish(COLD_START_MESSAGES);
        } while (System.nanoTime() - start < context.budget().coldStart().toNanos());
    }

    @Override
    public void close() {
        running.values().forEach(FanOutProcesses::close);
    }

    /** The measurement of one contender in one round. */
    interface Turn {
        void run(FanOutContender contender, FanOutProcesses processes, int round)
                throws IOException, WorkerException, InterruptedException;
    }
}

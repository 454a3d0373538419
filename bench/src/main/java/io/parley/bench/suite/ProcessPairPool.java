package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.WaitMode;
import io.parley.bench.worker.WorkerException;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The running process pairs of one suite. Pairs keep running between rounds so that contenders can take turns while
 * warm. A pair that fails loses its round. It is restarted and warmed up again for the next round, and abandoned if it
 * fails again.
 */
final class ProcessPairPool implements AutoCloseable {

    private static final int MAX_FAILURES = 2;
    private static final int COLD_START_BYTES = 1024;
    private static final long END_SECONDS = 60;

    private final SuiteContext context;
    private final Map<String, ProcessPair> running = new ConcurrentHashMap<>();
    private final Map<String, Integer> failures = new HashMap<>();

    ProcessPairPool(SuiteContext context) {
        this.context = context;
    }

    /**
     * Runs one turn of each contender in every round of the budget. Round 0 is the warm-up.
     *
     * @param measurement the name of the measurement in progress and failure messages
     */
    void runRounds(String measurement, Turn turn) throws IOException, InterruptedException {
        failures.clear();
        for (int round = 0; round <= context.budget().rounds(); round++) {
            String name = round == 0 ? measurement + ", warm-up" : measurement + ", round " + round;
            context.progress(name);
            Set<String> cold = startMissing(name);
            for (Contender contender : context.contenders()) {
                if (cold.contains(contender.name())) {
                    runTurn(name, contender, 0, this::compile);
                }
            }
            for (Contender contender : context.contenders()) {
                if (round > 0 && cold.contains(contender.name())) {
                    runTurn(name, contender, 0, turn);
                }
                runTurn(name, contender, round, turn);
            }
        }
    }

    /** Runs round trips of a small message until the JVMs of both sides have compiled the code in use. */
    private void compile(Contender contender, ProcessPair pair, int round)
            throws WorkerException, InterruptedException {
        pair.prepare(COLD_START_BYTES);
        WaitMode form = contender.eventDriven() ? WaitMode.EVENT : WaitMode.CALLER;
        pair.roundTrips(form, context.budget().coldStart(), context.budget().maxRoundTrips());
    }

    /**
     * Starts all missing pairs concurrently, because a start is mostly waiting. Returns the names of the started
     * contenders.
     */
    private Set<String> startMissing(String operation) throws IOException, InterruptedException {
        Map<Contender, Future<ProcessPair>> starting = new LinkedHashMap<>();
        ExecutorService starters = Executors.newCachedThreadPool();
        try {
            for (Contender contender : context.contenders()) {
                if (!running.containsKey(contender.name()) && !isAbandoned(contender.name())) {
                    starting.put(contender, starters.submit(() -> start(contender)));
                }
            }
            for (Map.Entry<Contender, Future<ProcessPair>> start : starting.entrySet()) {
                started(operation, start.getKey(), start.getValue());
            }
            return starting.keySet().stream().map(Contender::name).collect(Collectors.toSet());
        } finally {
            // those that have not started end what they have, and close() ends the others
            starters.shutdownNow();
            starters.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
        }
    }

    private ProcessPair start(Contender contender) throws IOException, WorkerException, InterruptedException {
        ProcessPair pair = context.start(contender);
        running.put(contender.name(), pair);
        return pair;
    }

    private void started(String operation, Contender contender, Future<ProcessPair> start)
            throws IOException, InterruptedException {
        try {
            context.started(contender, start.get());
        } catch (ExecutionException failure) {
            if (!(failure.getCause() instanceof WorkerException cause)) {
                throw new IOException("Cannot start contender " + contender.name(), failure);
            }
            failed(operation, contender.name(), cause);
        }
    }

    private void runTurn(String operation, Contender contender, int round, Turn turn) throws InterruptedException {
        String name = contender.name();
        ProcessPair pair = running.get(name);
        if (pair == null) {
            return;
        }
        try {
            turn.run(contender, pair, round);
        } catch (WorkerException failure) {
            running.remove(name);
            pair.close();
            failed(operation, name, failure);
        }
    }

    private void failed(String operation, String name, WorkerException failure) {
        failures.merge(name, 1, Integer::sum);
        context.failed(name + ", " + operation, failure, isAbandoned(name));
    }

    private boolean isAbandoned(String name) {
        return failures.getOrDefault(name, 0) >= MAX_FAILURES;
    }

    @Override
    public void close() {
        running.values().forEach(ProcessPair::close);
    }

    /** The measurement of one contender in one round. */
    interface Turn {
        void run(Contender contender, ProcessPair pair, int round) throws WorkerException, InterruptedException;
    }
}

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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/**
 * The running pairs of one suite. They stay up between rounds, so that contenders can take turns while warm. One that
 * fails loses its round, is started and warmed up again for the next, and is given up when it fails again.
 */
final class ProcessPairPool implements AutoCloseable {

    private static final int MOST_FAILURES = 2;
    private static final int COLD_START_BYTES = 1024;

    private final SuiteContext session;
    private final Map<String, ProcessPair> running = new HashMap<>();
    private final Map<String, Integer> failures = new HashMap<>();

    ProcessPairPool(SuiteContext session) {
        this.session = session;
    }

    /**
     * Lets each contender take its turn, as often as the budget says after a warm-up, which is round 0.
     *
     * @param what names the measurement in messages
     */
    void takeTurns(String what, Turn turn) throws IOException, InterruptedException {
        failures.clear();
        for (int round = 0; round <= session.budget().rounds(); round++) {
            String name = round == 0 ? what + ", warm-up" : what + ", round " + round;
            session.progress(name);
            Set<String> cold = startMissing(name);
            for (Contender contender : session.contenders()) {
                if (cold.contains(contender.name())) {
                    take(name, contender, 0, this::compile);
                }
            }
            for (Contender contender : session.contenders()) {
                if (round > 0 && cold.contains(contender.name())) {
                    take(name, contender, 0, turn);
                }
                take(name, contender, round, turn);
            }
        }
    }

    /** Round trips of a small message, until the virtual machines of both sides have compiled what they need. */
    private void compile(Contender contender, ProcessPair pair, int round)
            throws WorkerException, InterruptedException {
        pair.prepare(COLD_START_BYTES);
        WaitMode form = contender.eventDriven() ? WaitMode.EVENT : WaitMode.CALLER;
        pair.roundTrips(form, session.budget().coldStart(), session.budget().mostRoundTrips());
    }

    /** All at once: much of a start is waiting. Returns which have been started. */
    private Set<String> startMissing(String what) throws IOException, InterruptedException {
        Map<Contender, Future<ProcessPair>> starting = new LinkedHashMap<>();
        ExecutorService starters = Executors.newCachedThreadPool();
        try {
            for (Contender contender : session.contenders()) {
                if (!running.containsKey(contender.name()) && !givenUp(contender.name())) {
                    starting.put(contender, starters.submit(() -> session.start(contender)));
                }
            }
            for (Map.Entry<Contender, Future<ProcessPair>> start : starting.entrySet()) {
                started(what, start.getKey(), start.getValue());
            }
            return starting.keySet().stream().map(Contender::name).collect(Collectors.toSet());
        } finally {
            starters.shutdownNow();
        }
    }

    private void started(String what, Contender contender, Future<ProcessPair> start)
            throws IOException, InterruptedException {
        try {
            ProcessPair pair = start.get();
            session.started(contender, pair);
            running.put(contender.name(), pair);
        } catch (ExecutionException problem) {
            if (!(problem.getCause() instanceof WorkerException cause)) {
                throw new IOException("cannot start " + contender.name(), problem);
            }
            failed(what, contender.name(), cause);
        }
    }

    private void take(String what, Contender contender, int round, Turn turn) throws InterruptedException {
        String name = contender.name();
        ProcessPair pair = running.get(name);
        if (pair == null) {
            return;
        }
        try {
            turn.take(contender, pair, round);
        } catch (WorkerException problem) {
            running.remove(name);
            pair.close();
            failed(what, name, problem);
        }
    }

    private void failed(String what, String name, WorkerException problem) {
        failures.merge(name, 1, Integer::sum);
        session.failed(name + ", " + what, problem, givenUp(name));
    }

    private boolean givenUp(String name) {
        return failures.getOrDefault(name, 0) >= MOST_FAILURES;
    }

    @Override
    public void close() {
        running.values().forEach(ProcessPair::close);
    }

    /** One contender's part of one round. */
    interface Turn {
        void take(Contender contender, ProcessPair pair, int round) throws WorkerException, InterruptedException;
    }
}

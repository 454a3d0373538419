package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.worker.Pair;
import io.parley.bench.worker.WorkerException;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The running pairs of one suite. They stay up between rounds, so that contenders can take turns while warm. One that
 * fails is started again for its next measurement, and given up for the current one.
 */
final class Pairs implements AutoCloseable {

    private final Session session;
    private final Map<String, Pair> running = new HashMap<>();
    private final Set<String> failed = new HashSet<>();

    Pairs(Session session) {
        this.session = session;
    }

    /**
     * Lets each contender take its turn, {@code rounds} times after a warm-up, which is round 0.
     *
     * @param what names the measurement in messages
     */
    void takeTurns(String what, Turn turn) throws IOException, InterruptedException {
        failed.clear();
        startMissing(what);
        for (int round = 0; round <= session.budget().rounds(); round++) {
            session.progress(round == 0 ? what + ", warm-up" : what + ", round " + round);
            for (Contender contender : session.contenders()) {
                if (!failed.contains(contender.name())) {
                    take(what, contender, round, turn);
                }
            }
        }
    }

    /** All at once: much of a start is waiting. */
    private void startMissing(String what) throws IOException, InterruptedException {
        Map<Contender, Future<Pair>> starting = new LinkedHashMap<>();
        ExecutorService starters = Executors.newCachedThreadPool();
        try {
            for (Contender contender : session.contenders()) {
                if (!running.containsKey(contender.name())) {
                    starting.put(contender, starters.submit(() -> session.start(contender)));
                }
            }
            for (Map.Entry<Contender, Future<Pair>> start : starting.entrySet()) {
                started(what, start.getKey(), start.getValue());
            }
        } finally {
            starters.shutdownNow();
        }
    }

    private void started(String what, Contender contender, Future<Pair> start)
            throws IOException, InterruptedException {
        try {
            Pair pair = start.get();
            session.started(contender, pair);
            running.put(contender.name(), pair);
        } catch (ExecutionException problem) {
            if (!(problem.getCause() instanceof WorkerException cause)) {
                throw new IOException("cannot start " + contender.name(), problem);
            }
            failed.add(contender.name());
            session.missing(contender.name() + ", " + what, cause);
        }
    }

    private void take(String what, Contender contender, int round, Turn turn) throws InterruptedException {
        String name = contender.name();
        try {
            Pair pair = running.get(name);
            if (pair != null) {
                turn.take(contender, pair, round);
            }
        } catch (WorkerException problem) {
            failed.add(name);
            session.missing(name + ", " + what, problem);
            Pair broken = running.remove(name);
            if (broken != null) {
                broken.close();
            }
        }
    }

    @Override
    public void close() {
        running.values().forEach(Pair::close);
    }

    /** One contender's part of one round. */
    interface Turn {
        void take(Contender contender, Pair pair, int round) throws WorkerException, InterruptedException;
    }
}

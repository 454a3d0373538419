package io.parley.bench.suite;

import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamExchange;
import io.parley.bench.worker.StreamPair;
import io.parley.bench.worker.StreamSetting;
import io.parley.bench.worker.WorkerException;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The running process pairs of stream contenders, which take turns. They start at their first turn. A pair that fails loses its round and
 * is started again; it is abandoned when it fails again.
 */
final class StreamPool implements AutoCloseable {

    private static final int MAX_FAILURES = 2;

    /** Large blocks use other code than small ones. */
    private static final List<Integer> COLD_START_BYTES = List.of(1 << 10, 64 << 10, 1 << 20);

    private final SuiteContext context;
    private final List<Entrant> entrants;
    private final Map<String, StreamPair> running = new HashMap<>();
    private final Map<String, Integer> failures = new HashMap<>();

    /** Creates a pool of contenders with the default setting. */
    static StreamPool of(SuiteContext context, List<StreamContender> contenders) {
        return new StreamPool(
                context,
                contenders.stream()
                        .map(contender -> new Entrant(contender, StreamSetting.DEFAULT))
                        .toList());
    }

    StreamPool(SuiteContext context, List<Entrant> entrants) {
        this.context = context;
        this.entrants = List.copyOf(entrants);
    }

    /** Runs one turn of each contender in every round. Round 0 is the warm-up. */
    void runRounds(String measurement, int rounds, Turn turn) throws IOException, InterruptedException {
        context.progress(measurement);
        for (int round = 0; round <= rounds; round++) {
            for (Entrant entrant : entrants) {
                runTurn(measurement, entrant, round, turn);
            }
        }
    }

    private void runTurn(String measurement, Entrant entrant, int round, Turn turn)
            throws IOException, InterruptedException {
        String name = entrant.name();
        if (failures.getOrDefault(name, 0) >= MAX_FAILURES) {
            return;
        }
        try {
            StreamPair pair = running.get(name);
            if (pair == null) {
                pair = start(entrant);
                if (round > 0) {
                    turn.run(entrant, pair, 0);
                }
            }
            turn.run(entrant, pair, round);
        } catch (WorkerException failure) {
            StreamPair failed = running.remove(name);
            if (failed != null) {
                failed.close();
            }
            int count = failures.merge(name, 1, Integer::sum);
            context.failed(name + ", " + measurement, failure, count >= MAX_FAILURES);
        }
    }

    /** Starts both processes, and exchanges blocks until their JVMs have compiled the code in use. */
    private StreamPair start(Entrant entrant) throws IOException, WorkerException, InterruptedException {
        StreamPair pair = context.start(entrant.contender(), entrant.setting());
        running.put(entrant.name(), pair);
        TimeBudget budget = context.budget();
        for (int bytes : COLD_START_BYTES) {
            pair.exchange(
                    StreamExchange.Form.PING_PONG,
                    bytes,
                    budget.coldStart().dividedBy(COLD_START_BYTES.size()),
                    maxCount(budget));
        }
        return pair;
    }

    /** Returns the greatest number of blocks in one turn. */
    static int maxCount(TimeBudget budget) {
        return (int) Math.min(Integer.MAX_VALUE / 2, budget.maxRoundTrips());
    }

    @Override
    public void close() {
        running.values().forEach(StreamPair::close);
    }

    /** A contender in a setting. */
    record Entrant(StreamContender contender, StreamSetting setting) {

        /**
         * Returns the name in results: that of the contender, or that of a heap, of which a chart has several for the same contender. Charts
         * of a network name it in their title.
         */
        String name() {
            return setting.isHeap() ? setting.label() : contender.name();
        }
    }

    /** The measurement of one contender in one round. */
    interface Turn {
        void run(Entrant entrant, StreamPair pair, int round) throws WorkerException, InterruptedException;
    }
}

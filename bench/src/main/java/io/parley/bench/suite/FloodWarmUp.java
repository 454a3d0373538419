package io.parley.bench.suite;

import io.parley.bench.worker.WorkerException;
import java.time.Duration;

/**
 * Sends floods with a growing number of messages until the rate has not grown for the warm-up time of the budget. The round trips of the
 * cold start do not compile the code of a flood, and compilers share the processors with the contender: a fixed second was too short for
 * the first size.
 */
final class FloodWarmUp {

    /** The least number of messages of a flood. */
    static final long MIN_MESSAGES = 4;

    private static final int FIRST_FLOOD_BYTES = 4 << 20;
    private static final long FIRST_FLOOD_MESSAGES = 1000;
    private static final int MIN_FLOODS = 4;

    /** The rate has not grown if it is below the best one times this factor. */
    private static final double STEADY_GROWTH = 1.05;

    /** The limit of the warm-up, in warm-up times of the budget. */
    private static final int MAX_WARM_UPS = 15;

    private static final double TURNS_PER_FLOOD = 2;
    private static final double MAX_GROWTH = 10;

    private FloodWarmUp() {}

    /** A flood whose result is not used. */
    interface Flood {

        /** Sends messages one way, as fast as back-pressure allows. Returns the time until the receiver had all of them. */
        Duration send(long messages) throws WorkerException, InterruptedException;
    }

    /** Returns the number of messages that takes about one turn at the best measured rate. */
    static long run(TimeBudget budget, int bytes, Flood flood) throws WorkerException, InterruptedException {
        long count = Math.max(MIN_MESSAGES, Math.min(FIRST_FLOOD_MESSAGES, FIRST_FLOOD_BYTES / bytes));
        Duration spent = Duration.ZERO;
        Duration steady = Duration.ZERO;
        double bestPerNano = 0;
        for (int floods = 0;
                floods < MIN_FLOODS
                        || (steady.compareTo(budget.warmUp()) < 0
                                && spent.compareTo(budget.warmUp().multipliedBy(MAX_WARM_UPS)) < 0);
                floods++) {
            Duration elapsed = flood.send(count);
            spent = spent.plus(elapsed);
            double perNano = (double) count / Math.max(1, elapsed.toNanos());
            steady = perNano > bestPerNano * STEADY_GROWTH ? Duration.ZERO : steady.plus(elapsed);
            bestPerNano = Math.max(bestPerNano, perNano);
            double target = bestPerNano * budget.turn().toNanos() * TURNS_PER_FLOOD;
            count = Math.max(MIN_MESSAGES, (long) Math.min(target, count * MAX_GROWTH));
        }
        return count;
    }
}

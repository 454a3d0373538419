package io.parley.bench.suite;

import io.parley.bench.worker.WorkerException;
import java.time.Duration;

/**
 * Runs a contender until it no longer becomes faster. With both processes on one slow processor the compilers need several times as long
 * as with one each, and turns after a fixed time measured them.
 */
final class WarmUp {

    /** The time without a shorter result after which a contender is warm, and the limit of that, in warm-up times of the budget. */
    private static final int STEADY_WARM_UPS = 3;

    private static final int MAX_WARM_UPS = 30;
    private static final int TURNS_PER_WARM_UP = 2;

    /** A result that is smaller by less than that is not shorter. */
    private static final double STEADY_RATIO = 0.97;

    private WarmUp() {}

    /** A measurement whose result is not used. */
    interface Turn {

        /** Returns the time of one operation, in any unit. */
        double run(Duration time) throws WorkerException, InterruptedException;
    }

    static void run(TimeBudget budget, Turn turn) throws WorkerException, InterruptedException {
        if (budget.isTiny()) {
            turn.run(budget.warmUp());
            return;
        }
        Duration time = budget.warmUp().dividedBy(TURNS_PER_WARM_UP);
        double best = Double.POSITIVE_INFINITY;
        int steady = 0;
        for (int i = 0; steady < TURNS_PER_WARM_UP * STEADY_WARM_UPS && i < TURNS_PER_WARM_UP * MAX_WARM_UPS; i++) {
            double result = turn.run(time);
            steady = result < best * STEADY_RATIO ? 0 : steady + 1;
            best = Math.min(best, result);
        }
    }
}

package io.parley.bench.suite;

import io.parley.bench.worker.Surroundings;
import java.util.List;

/**
 * How often a peer lives.
 *
 * @param cold in a process of its own
 * @param warmUp in a process that is measured warm, before that
 * @param warm in that process
 */
record Lives(int cold, int warmUp, int warm, List<Surroundings> surroundings) {

    private static final List<Surroundings> ALL = List.of(Surroundings.values());

    static Lives of(Budget budget) {
        if (budget.isTiny()) {
            return new Lives(1, 0, 1, List.of(Surroundings.FAR_RENDEZVOUS));
        }
        return budget.isFull() ? new Lives(7, 50, 30, ALL) : new Lives(1, 5, 3, ALL);
    }
}

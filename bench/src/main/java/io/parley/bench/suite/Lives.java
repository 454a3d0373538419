package io.parley.bench.suite;

import io.parley.bench.operation.Stack;
import io.parley.bench.worker.Surroundings;
import java.util.List;

/**
 * How often a peer lives.
 *
 * @param cold in a process of its own
 * @param warmUp in a process that is measured warm, before that
 * @param warm in that process
 */
record Lives(int cold, int warmUp, int warm) {

    private static final List<Surroundings> ALL = List.of(Surroundings.values());

    /** Fewer, where each takes the start of all peers around it. */
    static Lives of(Budget budget, Stack stack) {
        if (budget.isTiny()) {
            return stack.neighboursStay() ? new Lives(1, 0, 1) : new Lives(1, 1, 1);
        }
        if (budget.isFull()) {
            return stack.neighboursStay() ? new Lives(7, 50, 30) : new Lives(7, 10, 10);
        }
        return stack.neighboursStay() ? new Lives(3, 20, 9) : new Lives(1, 2, 2);
    }

    static List<Surroundings> surroundings(Budget budget) {
        return budget.isTiny() ? List.of(Surroundings.FAR_RENDEZVOUS) : ALL;
    }
}

package io.parley.bench.suite;

import io.parley.bench.operation.PeerStack;
import io.parley.bench.worker.PeerEnvironment;
import java.util.List;

/**
 * How often a peer lives.
 *
 * @param cold in a process of its own
 * @param warmUp in a process that is measured warm, before that
 * @param warm in that process
 */
record RunPlan(int cold, int warmUp, int warm) {

    private static final List<PeerEnvironment> ALL = List.of(PeerEnvironment.values());

    /** Fewer, where each takes the start of all peers around it. */
    static RunPlan of(TimeBudget budget, PeerStack stack) {
        if (budget.isTiny()) {
            return stack.neighboursStay() ? new RunPlan(1, 0, 1) : new RunPlan(1, 1, 1);
        }
        if (budget.isFull()) {
            return stack.neighboursStay() ? new RunPlan(7, 50, 30) : new RunPlan(7, 10, 10);
        }
        return stack.neighboursStay() ? new RunPlan(3, 20, 9) : new RunPlan(1, 2, 2);
    }

    static List<PeerEnvironment> surroundings(TimeBudget budget) {
        return budget.isTiny() ? List.of(PeerEnvironment.FAR_RENDEZVOUS) : ALL;
    }
}

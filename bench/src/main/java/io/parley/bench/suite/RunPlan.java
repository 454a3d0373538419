package io.parley.bench.suite;

import io.parley.bench.operation.PeerStack;
import io.parley.bench.worker.PeerEnvironment;
import java.util.List;

/**
 * The number of runs of a measured peer.
 *
 * @param cold the number of cold runs, each in a process of its own
 * @param warmUp the number of warm-up runs in the process of the warm runs
 * @param warm the number of measured runs in that process
 */
record RunPlan(int cold, int warmUp, int warm) {

    private static final List<PeerEnvironment> ALL = List.of(PeerEnvironment.values());

    /** Returns the plan for a stack, with fewer runs if each of them must restart the environment. */
    static RunPlan of(TimeBudget budget, PeerStack stack) {
        if (budget.isTiny()) {
            return stack.neighboursStay() ? new RunPlan(1, 0, 1) : new RunPlan(1, 1, 1);
        }
        if (budget.isFull()) {
            return stack.neighboursStay() ? new RunPlan(7, 50, 30) : new RunPlan(7, 10, 10);
        }
        return stack.neighboursStay() ? new RunPlan(3, 20, 9) : new RunPlan(1, 2, 2);
    }

    static List<PeerEnvironment> environments(TimeBudget budget) {
        return budget.isTiny() ? List.of(PeerEnvironment.FAR_RENDEZVOUS) : ALL;
    }
}

package io.parley.bench.suite;

import io.parley.bench.operation.PeerStack;
import io.parley.bench.result.Spread;
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

    /** Returns the warm-up runs for a stack, which are the same in all environments. */
    static int warmUp(TimeBudget budget, PeerStack stack) {
        return of(budget, stack, PeerEnvironment.RENDEZVOUS).warmUp();
    }

    /**
     * Returns the plan for a stack, with fewer runs if each of them must restart the environment. Targets apply to the
     * environment with a rendezvous, so that a full run has the rounds for a verdict there.
     */
    static RunPlan of(TimeBudget budget, PeerStack stack, PeerEnvironment environment) {
        if (budget.isTiny()) {
            return stack.neighboursStay() ? new RunPlan(1, 0, 1) : new RunPlan(1, 1, 1);
        }
        if (budget.isFull()) {
            boolean judged = environment == PeerEnvironment.RENDEZVOUS;
            return stack.neighboursStay()
                    ? new RunPlan(judged ? Spread.MIN_VERDICT_ROUNDS : 7, 50, 30)
                    : new RunPlan(7, 10, judged ? Spread.MIN_VERDICT_ROUNDS : 10);
        }
        return stack.neighboursStay() ? new RunPlan(3, 20, 9) : new RunPlan(1, 2, 2);
    }

    static List<PeerEnvironment> environments(TimeBudget budget) {
        return budget.isTiny() ? List.of(PeerEnvironment.FAR_RENDEZVOUS) : ALL;
    }
}

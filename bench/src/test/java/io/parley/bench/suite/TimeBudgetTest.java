package io.parley.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.result.Spread;
import io.parley.bench.worker.PeerEnvironment;
import io.parley.bench.worker.PeerStackRegistry;
import org.junit.jupiter.api.Test;

final class TimeBudgetTest {

    @Test
    void full_hasTheRoundsForAVerdict() {
        assertThat(TimeBudget.full().rounds()).isGreaterThanOrEqualTo(Spread.MIN_VERDICT_ROUNDS);
        assertThat(PeerStackRegistry.all())
                .isNotEmpty()
                .allSatisfy(stack -> assertThat(RunPlan.of(TimeBudget.full(), stack, PeerEnvironment.RENDEZVOUS)
                                .warm())
                        .isGreaterThanOrEqualTo(Spread.MIN_VERDICT_ROUNDS));
    }
}

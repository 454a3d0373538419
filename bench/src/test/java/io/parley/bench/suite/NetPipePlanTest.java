package io.parley.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class NetPipePlanTest {

    @Test
    void of_fullBudget_hasTheSizesOfNetPipe_withThreeBytesLessAndMore() {
        NetPipePlan plan = NetPipePlan.of(TimeBudget.full());

        assertThat(plan.sizes())
                .isSorted()
                .doesNotHaveDuplicates()
                .contains(1, 2, 3, 4, 6, 8, 12, 64 - 3, 64, 64 + 3, 96, 196_608, 16 << 20)
                .contains((64 << 10) - 3, 64 << 10, (64 << 10) + 3);
        assertThat(plan.rounds()).as("medians of five").isEqualTo(5);
    }

    @Test
    void of_quickBudget_hasFewSizes_fromOneByteTo16Megabytes() {
        NetPipePlan plan = NetPipePlan.of(TimeBudget.quick());

        assertThat(plan.sizes()).startsWith(1).hasSizeLessThan(20).contains(16 << 20, 1021, 1024, 1027);
    }
}

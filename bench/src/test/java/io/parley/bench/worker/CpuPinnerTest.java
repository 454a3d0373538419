package io.parley.bench.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CpuPinnerTest {

    @Test
    void prefix_any_isEmpty() {
        assertThat(CpuPinner.prefix(Placement.ANY, true, 8)).isEmpty();
    }

    @Test
    void prefix_apart_givesEachSideOneHalf() {
        assertThat(CpuPinner.prefix(Placement.APART, true, 8)).containsExactly("taskset", "-c", "0-3");
        assertThat(CpuPinner.prefix(Placement.APART, false, 8)).containsExactly("taskset", "-c", "4-7");
        assertThat(CpuPinner.prefix(Placement.APART, true, 2)).containsExactly("taskset", "-c", "0-0");
        assertThat(CpuPinner.prefix(Placement.APART, false, 2)).containsExactly("taskset", "-c", "1-1");
    }

    @Test
    void jvmOptions_processAloneOnOneProcessor_countsTwo() {
        assertThat(CpuPinner.jvmOptions(Placement.APART, 2)).containsExactly("-XX:ActiveProcessorCount=2");
        assertThat(CpuPinner.jvmOptions(Placement.APART, 4)).isEmpty();
        assertThat(CpuPinner.jvmOptions(Placement.TOGETHER, 2)).isEmpty();
        assertThat(CpuPinner.jvmOptions(Placement.ANY, 2)).isEmpty();
    }

    @Test
    void prefix_together_isTheSameProcessor() {
        assertThat(CpuPinner.prefix(Placement.TOGETHER, true, 8)).containsExactly("taskset", "-c", "7");
        assertThat(CpuPinner.prefix(Placement.TOGETHER, false, 8)).containsExactly("taskset", "-c", "7");
    }
}

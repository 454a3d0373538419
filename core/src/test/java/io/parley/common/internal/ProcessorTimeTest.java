package io.parley.common.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.testkit.CollidingNames;
import io.parley.testkit.ProcessorTime;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A linear work passes, a quadratic one fails. */
class ProcessorTimeTest {

    private volatile long sink;

    @Test
    void linearWork_passes() {
        ProcessorTime.assertLinear("a loop", 100_000, n -> () -> {
            long sum = 0;
            for (int i = 0; i < n; i++) {
                sum += i ^ sink;
            }
            sink = sum;
        });
    }

    @Test
    void quadraticWork_fails() {
        assertThatThrownBy(() -> ProcessorTime.assertLinear("two loops", 100, n -> () -> {
                    long sum = 0;
                    for (int i = 0; i < n * n; i++) {
                        sum += i ^ sink;
                    }
                    sink = sum;
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("two loops: processor time of 100, 200 and 400");
    }

    @Test
    void collidingNames_haveOneHashCode() {
        List<String> names = CollidingNames.of(1000);
        assertThat(names).hasSize(1000).doesNotHaveDuplicates();
        assertThat(names.stream().map(String::hashCode).distinct()).hasSize(1);
    }
}

package io.parley.common.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.testkit.CollidingNames;
import io.parley.testkit.ProcessorTime;
import java.util.List;
import java.util.zip.CRC32;
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

    /** The checksum is native code. Java code would become faster during the test, and a large input may run the compiled code first. */
    @Test
    void quadraticWork_fails() {
        assertThatThrownBy(() -> ProcessorTime.assertLinear("a checksum", 400, n -> {
                    byte[] bytes = new byte[n * n];
                    return () -> {
                        CRC32 checksum = new CRC32();
                        checksum.update(bytes, 0, bytes.length);
                        sink = checksum.getValue();
                    };
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("a checksum: processor time of 400, 800 and 1600");
    }

    @Test
    void collidingNames_haveOneHashCode() {
        List<String> names = CollidingNames.of(1000);
        assertThat(names).hasSize(1000).doesNotHaveDuplicates();
        assertThat(names.stream().map(String::hashCode).distinct()).hasSize(1);
    }

    /** Otherwise an input would grow faster than its number of names. */
    @Test
    void collidingNames_areOfOneLength() {
        assertThat(CollidingNames.of(4000)).startsWith(CollidingNames.of(1000).toArray(new String[0]));
    }
}

package io.parley.endpoint.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.testkit.ProcessorTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HandleTableTest {

    private static final int HANDLES = 250; // 4 times as many fit into the cache of a processor

    @Test
    void putGetAndRemove_areThoseOfAMap() {
        Random random = new Random(1);
        HandleTable<Integer> table = new HandleTable<>(random);
        Map<Integer, Integer> expected = new HashMap<>();
        for (int i = 0; i < 10_000; i++) {
            int handle = random.nextInt(200) * (random.nextBoolean() ? 1 : 1 << 16);
            if (random.nextInt(3) == 0) {
                assertThat(table.remove(handle)).isEqualTo(expected.remove(handle));
            } else {
                table.put(handle, i);
                expected.put(handle, i);
            }
            assertThat(table.get(handle)).isEqualTo(expected.get(handle));
            assertThat(table.size()).isEqualTo(expected.size());
        }
        assertThat(table.values()).containsExactlyInAnyOrderElementsOf(expected.values());
        table.clear();
        assertThat(table.isEmpty()).isTrue();
    }

    @Test
    void handles_areAllInts() {
        HandleTable<Integer> table = new HandleTable<>(new Random(1));
        int[] handles = {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 16, -1 << 16};
        for (int handle : handles) {
            table.put(handle, handle);
        }
        for (int handle : handles) {
            assertThat(table.remove(handle)).isEqualTo(handle);
        }
        assertThat(table.isEmpty()).isTrue();
    }

    /**
     * Consecutive handles, as honest peers use them, and those that a remote peer could choose. The seeds are those with which a weaker hash
     * needs the most steps.
     */
    @ParameterizedTest
    @CsvSource({"1, 11506", "1024, 3829", "65536, 2433", "65537, 16898"})
    void handles_costTheSame_whateverTheyHaveInCommon(int step, long seed) {
        ProcessorTime.assertLinear("handles with the step " + step, HANDLES, handles -> () -> {
            HandleTable<Integer> table = new HandleTable<>(new Random(seed));
            for (int i = 1; i <= handles; i++) {
                table.put(i * step, 1);
            }
            for (int i = 1; i <= handles; i++) {
                table.remove(i * step);
            }
        });
    }
}

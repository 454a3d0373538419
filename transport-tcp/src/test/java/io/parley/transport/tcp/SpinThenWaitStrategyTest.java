package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.SelectStrategy;
import org.junit.jupiter.api.Test;

/** When an event loop looks again and when it sleeps, on a clock of the test's own. */
class SpinThenWaitStrategyTest {

    private static final long SPIN_NANOS = 50_000;

    private long now = 1000;
    private final SpinThenWaitStrategy strategy = new SpinThenWaitStrategy(() -> now);

    private int nothing() throws Exception {
        return strategy.calculateStrategy(() -> 0, false);
    }

    /** Spins in vain until the strategy gives up; false when it did not even try. */
    private boolean miss() throws Exception {
        if (nothing() == SelectStrategy.SELECT) {
            return false;
        }
        now += SPIN_NANOS;
        assertThat(nothing()).isEqualTo(SelectStrategy.SELECT);
        return true;
    }

    @Test
    void events_areGivenAtOnce() throws Exception {
        assertThat(strategy.calculateStrategy(() -> 3, false)).isEqualTo(3);
        assertThat(strategy.calculateStrategy(() -> 0, true)).isZero();
        assertThat(strategy.calculateStrategy(() -> 2, true)).isEqualTo(2);
    }

    @Test
    void nothing_looksForAWhile_thenSleeps() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(nothing()).isEqualTo(SelectStrategy.CONTINUE);
            now += SPIN_NANOS / 5 - 1;
        }
        now += SPIN_NANOS;
        assertThat(nothing()).isEqualTo(SelectStrategy.SELECT);
    }

    @Test
    void eventWhileLooking_isGiven_andTheNextWaitLooksAgain() throws Exception {
        for (int i = 0; i < 100; i++) {
            assertThat(nothing()).isEqualTo(SelectStrategy.CONTINUE);
            now += 40_000;
            assertThat(strategy.calculateStrategy(() -> 1, false)).isOne();
        }
    }

    @Test
    void taskWhileLooking_countsAsAnEvent() throws Exception {
        for (int i = 0; i < 100; i++) {
            assertThat(nothing()).isEqualTo(SelectStrategy.CONTINUE);
            assertThat(strategy.calculateStrategy(() -> 0, true)).isZero();
        }
    }

    @Test
    void misses_makeTriesRare_untilOneHits() throws Exception {
        int tries = 0;
        for (int i = 0; i < 10_000; i++) {
            if (miss()) {
                tries++;
            }
            now += 1_000_000;
            assertThat(strategy.calculateStrategy(() -> 1, false)).isOne(); // what came after the sleep
        }
        assertThat(tries).isBetween(10_000 / 65, 10_000 / 50);
        while (nothing() == SelectStrategy.SELECT) {
            now += 1_000_000;
        }
        assertThat(strategy.calculateStrategy(() -> 1, false)).isOne();
        assertThat(nothing()).as("the wait after a hit").isEqualTo(SelectStrategy.CONTINUE);
    }
}

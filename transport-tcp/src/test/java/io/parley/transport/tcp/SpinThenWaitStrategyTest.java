package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.SelectStrategy;
import org.junit.jupiter.api.Test;

/** The decisions of an event loop to poll again or to sleep, on a clock of the test. */
class SpinThenWaitStrategyTest {

    private static final long SPIN_NANOS = 50_000;

    private long now = 1000;
    private final SpinThenWaitStrategy strategy = new SpinThenWaitStrategy(() -> now, SPIN_NANOS);

    private int pollNothing() throws Exception {
        return strategy.calculateStrategy(() -> 0, false);
    }

    /** Spins without an event until the strategy gives up; returns false if it did not spin. */
    private boolean miss() throws Exception {
        if (pollNothing() == SelectStrategy.SELECT) {
            return false;
        }
        now += SPIN_NANOS;
        assertThat(pollNothing()).isEqualTo(SelectStrategy.SELECT);
        return true;
    }

    @Test
    void events_areReturnedAtOnce() throws Exception {
        assertThat(strategy.calculateStrategy(() -> 3, false)).isEqualTo(3);
        assertThat(strategy.calculateStrategy(() -> 0, true)).isZero();
        assertThat(strategy.calculateStrategy(() -> 2, true)).isEqualTo(2);
    }

    @Test
    void nothing_spinsForALimitedTime_thenSleeps() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(pollNothing()).isEqualTo(SelectStrategy.CONTINUE);
            now += SPIN_NANOS / 5 - 1;
        }
        now += SPIN_NANOS;
        assertThat(pollNothing()).isEqualTo(SelectStrategy.SELECT);
    }

    @Test
    void eventWhileSpinning_isReturned_andTheNextWaitSpinsAgain() throws Exception {
        for (int i = 0; i < 100; i++) {
            assertThat(pollNothing()).isEqualTo(SelectStrategy.CONTINUE);
            now += 40_000;
            assertThat(strategy.calculateStrategy(() -> 1, false)).isOne();
        }
    }

    @Test
    void taskWhileSpinning_countsAsAnEvent() throws Exception {
        for (int i = 0; i < 100; i++) {
            assertThat(pollNothing()).isEqualTo(SelectStrategy.CONTINUE);
            assertThat(strategy.calculateStrategy(() -> 0, true)).isZero();
        }
    }

    @Test
    void misses_makeSpinsRare_untilOneHits() throws Exception {
        int spins = 0;
        for (int i = 0; i < 10_000; i++) {
            if (miss()) {
                spins++;
            }
            now += 1_000_000;
            assertThat(strategy.calculateStrategy(() -> 1, false)).isOne(); // the event that ended the sleep
        }
        assertThat(spins).isBetween(10_000 / 65, 10_000 / 50);
        while (pollNothing() == SelectStrategy.SELECT) {
            now += 1_000_000;
        }
        assertThat(strategy.calculateStrategy(() -> 1, false)).isOne();
        assertThat(pollNothing()).as("the wait after a hit").isEqualTo(SelectStrategy.CONTINUE);
    }
}

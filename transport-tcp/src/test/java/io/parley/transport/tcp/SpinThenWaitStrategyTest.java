package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.SelectStrategy;
import org.junit.jupiter.api.Test;

/** The decisions of an event loop to poll again or to sleep, on a clock of the test. */
class SpinThenWaitStrategyTest {

    private static final long SPIN_NANOS = 50_000;

    private long now = 1000;
    private final SpinThenWaitStrategy strategy =
            new SpinThenWaitStrategy(() -> now, SPIN_NANOS * SpinThenWaitStrategy.LONG_SPINS);

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

    /** Waits for an event that comes after a time. Polls each microsecond. Returns how long the loop spun. */
    private long waitFor(long nanos) throws Exception {
        long start = now;
        long end = now + nanos;
        while (now < end) {
            if (pollNothing() == SelectStrategy.SELECT) {
                long spun = now - start;
                now = end;
                assertThat(strategy.calculateStrategy(() -> 1, false)).isOne();
                return spun;
            }
            now += 1000;
        }
        assertThat(strategy.calculateStrategy(() -> 1, false)).isOne();
        return nanos;
    }

    @Test
    void eventSoonAfterTheSleep_makesTheNextSpinLong() throws Exception {
        assertThat(waitFor(150_000)).isEqualTo(SPIN_NANOS);
        assertThat(waitFor(150_000)).isEqualTo(150_000);
        assertThat(waitFor(10_000_000)).isEqualTo(4 * SPIN_NANOS);
    }

    @Test
    void eventLongAfterTheSleep_leavesTheNextSpinShort() throws Exception {
        assertThat(waitFor(150_000)).isEqualTo(SPIN_NANOS);
        assertThat(waitFor(10_000_000)).isEqualTo(4 * SPIN_NANOS);
        assertThat(waitFor(10_000_000))
                .as("the wait that is skipped, or a short spin")
                .isLessThanOrEqualTo(SPIN_NANOS);
        while (waitFor(10_000_000) == 0) {
            // until the next spin
        }
        assertThat(waitFor(40_000)).isLessThanOrEqualTo(SPIN_NANOS);
    }

    /** Two loops that respond soon as long as neither sleeps. */
    @Test
    void longSpins_goOnWhileMostEventsComeEarly() throws Exception {
        assertThat(waitFor(150_000)).isEqualTo(SPIN_NANOS);
        for (int i = 0; i < 1000; i++) {
            assertThat(waitFor(20_000)).isEqualTo(20_000);
            assertThat(waitFor(20_000)).isEqualTo(20_000);
            assertThat(waitFor(20_000)).isEqualTo(20_000);
            assertThat(waitFor(150_000)).isEqualTo(150_000);
        }
    }

    @Test
    void streamWithLongerPauses_endsLongSpins() throws Exception {
        for (long pause : new long[] {100_000, 300_000}) {
            int spunLong = 0;
            for (int i = 0; i < 10_000; i++) {
                if (waitFor(pause) > SPIN_NANOS) {
                    spunLong++;
                }
            }
            assertThat(spunLong).as("long spins with pauses of %d ns", pause).isBetween(1, 100);
        }
    }

    @Test
    void longSpins_returnAfterAStream() throws Exception {
        for (int i = 0; i < 100_000; i++) {
            waitFor(100_000);
        }
        long waits = 0;
        while (waits < 5000 && waitFor(150_000) < 150_000) {
            waits++;
        }
        assertThat(waits).as("waits without a long spin").isLessThan(5000);
        for (int i = 0; i < 100; i++) {
            assertThat(waitFor(20_000)).isEqualTo(20_000);
        }
        assertThat(waitFor(150_000)).isEqualTo(150_000);
    }
}

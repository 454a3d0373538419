package io.parley.bench.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LinkScheduleTest {

    private static final long MILLI = 1_000_000;
    private static final long DSL_BYTES_PER_SECOND = 80_000; // 640 kbit/s

    @Test
    void chunk_onIdleLink_takesItsTimeAtTheRate_andTheDelay() {
        LinkSchedule link = new LinkSchedule(0, DSL_BYTES_PER_SECOND, 20 * MILLI);

        assertThat(link.dueNanos(5 * MILLI, 800)).isEqualTo((5 + 10 + 20) * MILLI);
        assertThat(link.dueNanos(100 * MILLI, 800)).isEqualTo((100 + 10 + 20) * MILLI);
    }

    @Test
    void chunk_onBusyLink_waitsForThoseBeforeIt_andTheDelayCountsOnce() {
        LinkSchedule link = new LinkSchedule(0, DSL_BYTES_PER_SECOND, 20 * MILLI);
        link.dueNanos(0, 800);

        assertThat(link.dueNanos(0, 1600)).isEqualTo((10 + 20 + 20) * MILLI);
        assertThat(link.dueNanos(25 * MILLI, 800)).isEqualTo((10 + 20 + 10 + 20) * MILLI);
    }

    @Test
    void bytesOfALargeFile_inSegments_takeTheirTimeAtTheRate() {
        LinkSchedule link = new LinkSchedule(0, DSL_BYTES_PER_SECOND, 0);
        long due = 0;
        for (int i = 0; i < 100; i++) {
            due = link.dueNanos(0, 1460);
        }

        assertThat(due).isEqualTo(1825 * MILLI); // 146,000 bytes
    }

    @Test
    void chunk_beforeTheStart_waitsForIt() {
        LinkSchedule link = new LinkSchedule(40 * MILLI, DSL_BYTES_PER_SECOND, 20 * MILLI);

        assertThat(link.dueNanos(0, 800)).isEqualTo((40 + 10 + 20) * MILLI);
    }

    @Test
    void chunk_onLinkWithoutARate_takesTheDelayAlone_alsoWhenTheClockIsNegative() {
        LinkSchedule link = new LinkSchedule(Long.MIN_VALUE + 5, LinkSchedule.UNLIMITED, 20 * MILLI);

        assertThat(link.dueNanos(Long.MIN_VALUE + 7, 1 << 20)).isEqualTo(Long.MIN_VALUE + 7 + 20 * MILLI);
    }
}

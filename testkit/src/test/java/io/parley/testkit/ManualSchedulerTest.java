package io.parley.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.Scheduler;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ManualSchedulerTest {

    private static final Duration DELAY = Duration.ofSeconds(1);

    private final ManualScheduler scheduler = new ManualScheduler();

    @Test
    void cancel_ofATimerThatHasRun_keepsAnotherWithTheSameTask() {
        AtomicInteger runs = new AtomicInteger();
        Runnable task = runs::incrementAndGet;
        Scheduler.Timer first = scheduler.schedule(DELAY, task);
        first.cancel();
        scheduler.schedule(DELAY, task);
        first.cancel();
        scheduler.advance(DELAY);
        assertThat(runs).hasValue(1);
    }
}

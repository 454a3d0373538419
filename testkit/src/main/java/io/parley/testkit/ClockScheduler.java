package io.parley.testkit;

import io.parley.common.Scheduler;
import java.time.Clock;
import java.time.Duration;
import java.util.Random;

/** The timers of the system with a clock of the test. Thread-safe. */
public final class ClockScheduler implements Scheduler {

    private final Clock clock;

    /** Uses this clock for the time of day. */
    public ClockScheduler(Clock clock) {
        this.clock = clock;
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public long nanoTime() {
        return Scheduler.system().nanoTime();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        return Scheduler.system().schedule(delay, task);
    }

    @Override
    public Random random() {
        return Scheduler.system().random();
    }
}

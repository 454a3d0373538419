package io.parley.testkit;

import io.parley.common.Scheduler;
import java.time.Clock;
import java.time.Duration;
import java.util.Random;

/** The timers of the system with a clock of the test. Thread-safe. */
public final class ClockScheduler implements Scheduler {

    private final Clock clock;
    private final Random random;

    /** Uses this clock for the time of day, and the random numbers of the system. */
    public ClockScheduler(Clock clock) {
        this(clock, Scheduler.system().random());
    }

    /**
     * Uses this clock for the time of day.
     *
     * @param random the source of random numbers; with a seed, those of each run are the same
     */
    public ClockScheduler(Clock clock, Random random) {
        this.clock = clock;
        this.random = random;
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
        return random;
    }
}

package io.parley.common;

import io.parley.common.internal.SystemScheduler;
import java.time.Clock;
import java.time.Duration;
import java.util.Random;

/**
 * The source of time, timers and randomness of a peer. All layers use the instance that was passed to the builder, so a
 * test can replace it by manual time. Thread-safe.
 */
public interface Scheduler {

    /** A scheduled task. */
    interface Timer {
        /** Cancels the task. Has no effect if the task has started. */
        void cancel();
    }

    /** Returns the scheduler on the system's time. */
    static Scheduler system() {
        return SystemScheduler.INSTANCE;
    }

    /** Returns the time of day. */
    Clock clock();

    /** Returns the elapsed time, in nanoseconds, with the meaning of {@link System#nanoTime}. */
    long nanoTime();

    /** Runs the task once after the delay. The task must be short and must not block. */
    Timer schedule(Duration delay, Runnable task);

    /**
     * Returns a source of random numbers for jitter and identifiers. The system's numbers are unpredictable. Thread-safe.
     */
    Random random();
}

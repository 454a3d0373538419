package io.parley.resolver;

import java.time.Duration;

/** Time, for time-outs and rates; what stands on the resolver uses it as well. Safe from any thread. */
public interface Scheduler {

    /** The system's time. */
    static Scheduler system() {
        return new SystemScheduler();
    }

    /** As {@link System#nanoTime}. */
    long nanoTime();

    /**
     * Runs the task, which must be brief, after that time.
     *
     * @return forgets the task; may be called when it has run
     */
    Runnable after(Duration delay, Runnable task);
}

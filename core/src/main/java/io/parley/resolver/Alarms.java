package io.parley.resolver;

import java.time.Duration;

/** Time, for time-outs and rates. Safe from any thread. */
interface Alarms {

    /** As {@link System#nanoTime}. */
    long nanoTime();

    /**
     * Runs the task, which must be brief, after that time.
     *
     * @return forgets the task; may be called when it has run
     */
    Runnable after(Duration delay, Runnable task);
}

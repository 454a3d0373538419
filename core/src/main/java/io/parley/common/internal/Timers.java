package io.parley.common.internal;

import io.parley.common.Scheduler;
import io.parley.common.Scheduler.Timer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Timers whose tasks run on an executor, such as an event loop, instead of the thread of the {@link Scheduler}. */
public final class Timers {

    private Timers() {}

    /**
     * Runs the task once on the executor after the delay. The task is dropped if the executor has shut down by then.
     *
     * @return the timer; its {@code cancel()} has no effect on a task that was handed to the executor already
     */
    public static Timer schedule(Scheduler scheduler, Duration delay, Executor executor, Runnable task) {
        return scheduler.schedule(delay, () -> {
            try {
                executor.execute(task);
            } catch (RejectedExecutionException e) {
                // The executor has shut down, and its timers with it.
            }
        });
    }
}

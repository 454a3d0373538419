package io.parley.pipes.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.Timers;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One timer for many deadlines. It runs a task at the earliest of them. A request for a time after that costs one read, so requests
 * with the same timeout start about one timer per timeout. Thread-safe.
 */
public final class ExpiryTimer {

    private final Scheduler scheduler;
    private final Executor executor;
    private final Runnable task;

    private volatile boolean scheduled;
    private volatile long dueNanos;
    private Scheduler.@Nullable Timer timer;
    private boolean stopped;

    /**
     * Creates a timer.
     *
     * @param task checks all deadlines, and calls {@link #runAt} with the earliest one that is left
     */
    public ExpiryTimer(Scheduler scheduler, Executor executor, Runnable task) {
        this.scheduler = scheduler;
        this.executor = executor;
        this.task = task;
    }

    /** Runs the task at that time or earlier. The deadline must be visible to the task before this call. */
    public void runAt(long nanos) {
        if (scheduled && dueNanos - nanos <= 0) {
            return;
        }
        synchronized (this) {
            if (stopped || (scheduled && dueNanos - nanos <= 0)) {
                return;
            }
            if (timer != null) {
                timer.cancel();
            }
            dueNanos = nanos;
            scheduled = true;
            Duration delay = Duration.ofNanos(Math.max(0, nanos - scheduler.nanoTime()));
            timer = Timers.schedule(scheduler, delay, executor, this::onDue);
        }
    }

    private void onDue() {
        synchronized (this) {
            scheduled = false; // before the task reads the deadlines
            timer = null;
        }
        task.run();
    }

    public synchronized void stop() {
        stopped = true;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}

package io.parley.common.internal;

import io.parley.common.Scheduler;
import io.parley.common.Scheduler.Timer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Timers whose tasks run on an executor, such as an event loop, instead of the thread of the {@link Scheduler}. */
public final class Timers {

    private static final Logger log = LoggerFactory.getLogger(Timers.class);

    /** The delay after which a task is passed again to an executor that has failed. */
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    private Timers() {}

    /**
     * Runs the task once on the executor after the delay. The task is dropped if the executor has shut down by then. If the
     * executor fails for another reason, such as a thread that cannot be created, the task is tried again after a second, so
     * that periodic work continues.
     *
     * @return the timer; its {@code cancel()} has no effect on a task that was handed to the executor already
     */
    public static Timer schedule(Scheduler scheduler, Duration delay, Executor executor, Runnable task) {
        ExecutorTimer timer = new ExecutorTimer(scheduler, executor, task);
        timer.start(delay);
        return timer;
    }

    private static final class ExecutorTimer implements Timer {

        private final Scheduler scheduler;
        private final Executor executor;
        private final Runnable task;
        private Timer current = () -> {};
        private boolean cancelled;

        private ExecutorTimer(Scheduler scheduler, Executor executor, Runnable task) {
            this.scheduler = scheduler;
            this.executor = executor;
            this.task = task;
        }

        private synchronized void start(Duration delay) {
            if (!cancelled) {
                current = scheduler.schedule(delay, this::onDue);
            }
        }

        private void onDue() {
            try {
                executor.execute(task);
            } catch (RejectedExecutionException e) {
                // The executor has shut down, and its timers with it.
            } catch (RuntimeException | Error e) {
                log.warn("Cannot run the task of a timer; trying again in {}", RETRY_DELAY, e);
                start(RETRY_DELAY);
            }
        }

        @Override
        public synchronized void cancel() {
            cancelled = true;
            current.cancel();
        }
    }
}

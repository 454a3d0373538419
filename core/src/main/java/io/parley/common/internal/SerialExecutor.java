package io.parley.common.internal;

import io.parley.common.Scheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time and in order on another executor. Its users bound the number of tasks. Tasks are dropped after the other
 * executor is shut down. If it fails for another reason, such as a thread that cannot be created, they wait for the next task. An
 * executor of the application may reject a task because it is full, so there is a form that tries again. Thread-safe.
 */
public final class SerialExecutor implements Executor {

    private static final Logger log = LoggerFactory.getLogger(SerialExecutor.class);
    private static final RateLimitedLogger failureLog = new RateLimitedLogger(log);

    /** The time after which tasks are passed again to an executor that did not run them. */
    public static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    /** The number of failed attempts after the end of the owner with which the tasks are dropped. */
    static final int MAX_LAST_ATTEMPTS = 10;

    private final Executor executor;
    private final @Nullable Scheduler scheduler;
    private final BooleanSupplier ended;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean running;
    private int lastAttempts;

    public SerialExecutor(Executor executor) {
        this(executor, null, () -> true);
    }

    /**
     * Creates an executor that does not throw. Tasks that the other executor does not run are passed to it again later; after the end of
     * their owner only a few times, because the other executor may be shut down.
     *
     * @param ended whether the owner of the tasks has ended
     */
    public static SerialExecutor retrying(Executor executor, Scheduler scheduler, BooleanSupplier ended) {
        return new SerialExecutor(executor, scheduler, ended);
    }

    private SerialExecutor(Executor executor, @Nullable Scheduler scheduler, BooleanSupplier ended) {
        this.executor = executor;
        this.scheduler = scheduler;
        this.ended = ended;
    }

    /** Throws what the other executor throws if it cannot run the task, which is not executed then, unless this executor tries again. */
    @Override
    public void execute(Runnable task) {
        if (!add(task)) {
            return;
        }
        boolean scheduled = false;
        try {
            schedule();
            scheduled = true;
        } finally {
            if (!scheduled) {
                synchronized (tasks) {
                    tasks.remove(task);
                }
            }
        }
    }

    /** Adds a task. If this returns true, the caller must call {@link #schedule}, which may run tasks. */
    public boolean add(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            boolean starts = !running;
            running = true;
            return starts;
        }
    }

    /** Runs the tasks on the other executor, until there are none. */
    public void schedule() {
        try {
            executor.execute(this::runAll);
        } catch (RuntimeException | Error e) {
            if (retries(e)) {
                return;
            }
            boolean drops = scheduler != null || e instanceof RejectedExecutionException; // because the peer is closed
            synchronized (tasks) {
                running = false;
                if (drops) {
                    tasks.clear();
                }
            }
            if (!drops) {
                throw e;
            }
        }
    }

    /** Tries again later, if that is useful. Until then the tasks count as running, so that there is one timer for all. */
    private boolean retries(Throwable failure) {
        if (scheduler == null || (ended.getAsBoolean() && ++lastAttempts >= MAX_LAST_ATTEMPTS)) {
            return false;
        }
        scheduler.schedule(RETRY_DELAY, this::schedule);
        failureLog.warn("An executor of the application does not run tasks; trying again in {}", RETRY_DELAY, failure);
        return true;
    }

    private void runAll() {
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (RuntimeException | Error e) { // an error too: it would end all further tasks
                log.warn("Task failed", TextSanitizer.printable(e));
            }
        }
    }

    private @Nullable Runnable next() {
        synchronized (tasks) {
            Runnable task = tasks.poll();
            running = task != null;
            return task;
        }
    }
}

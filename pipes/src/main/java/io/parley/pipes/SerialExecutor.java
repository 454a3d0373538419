package io.parley.pipes;

import io.parley.common.internal.TextSanitizer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time and in order on another executor. Its users bound the number of tasks. Tasks are dropped after the other
 * executor is shut down. If it fails for another reason, such as a thread that cannot be created, they wait for the next task.
 * Thread-safe.
 */
final class SerialExecutor implements Executor {

    private static final Logger log = LoggerFactory.getLogger(SerialExecutor.class);

    private final Executor executor;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    SerialExecutor(Executor executor) {
        this.executor = executor;
    }

    /** Throws what the other executor throws if it cannot run the task, which is not executed then. */
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
    boolean add(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            boolean starts = !running;
            running = true;
            return starts;
        }
    }

    /** Runs the tasks on the other executor, until there are none. */
    void schedule() {
        boolean scheduled = false;
        try {
            executor.execute(this::runAll);
            scheduled = true;
        } catch (RejectedExecutionException e) { // because the peer is closed
            synchronized (tasks) {
                tasks.clear();
            }
        } finally {
            if (!scheduled) {
                synchronized (tasks) {
                    running = false;
                }
            }
        }
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

package io.parley.common.internal;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of one user on {@link SharedThreads}, a bounded number at a time, so that tasks that block do not take the
 * threads of other users. While other users wait for a thread, it lets them run after each task. Thread-safe.
 */
public final class BoundedExecutor implements Executor {

    private final SharedThreads threads;
    private final int maxThreads;
    private final long maxTasks;
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    /** The number of threads that run tasks, or are about to. */
    private int turns;

    private int inProgress;
    private boolean shutdown;

    /**
     * Creates an executor whose queue has no bound.
     *
     * @param maxThreads the maximum number of tasks that run at the same time
     */
    public BoundedExecutor(SharedThreads threads, int maxThreads) {
        this(threads, maxThreads, Integer.MAX_VALUE);
    }

    /**
     * Creates an executor.
     *
     * @param maxThreads the maximum number of tasks that run at the same time
     * @param maxQueued  the maximum number of tasks that wait
     */
    public BoundedExecutor(SharedThreads threads, int maxThreads, int maxQueued) {
        this.threads = threads;
        this.maxThreads = maxThreads;
        this.maxTasks = (long) maxThreads + maxQueued;
    }

    /**
     * Runs a task. If the system has no thread for it, it waits for one: a shortage of threads loses no task.
     *
     * @throws RejectedExecutionException after {@link #shutdown}, and if the queue is full
     */
    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            if (shutdown) {
                throw new RejectedExecutionException("the executor is shut down");
            }
            if (tasks.size() + inProgress >= maxTasks) {
                throw new RejectedExecutionException(
                        "tasks: " + (tasks.size() + inProgress + 1) + " (expected: <= " + maxTasks + ")");
            }
            tasks.add(task);
            if (turns == maxThreads) {
                return;
            }
            turns++;
        }
        threads.execute(this::runTasks);
    }

    /** Runs tasks until there are none, or other users wait. */
    private void runTasks() {
        Runnable task = next(0);
        while (task != null) {
            SharedThreads.runIsolated(task);
            if (threads.isContended()) {
                yieldTurn();
                return;
            }
            task = next(1);
        }
    }

    /**
     * Removes the next task, or ends the turn if there is none.
     *
     * @param finished the number of tasks that the turn has finished since the last call
     */
    private @Nullable Runnable next(int finished) {
        synchronized (tasks) {
            inProgress -= finished;
            Runnable task = tasks.poll();
            if (task == null) {
                turns--;
            } else {
                inProgress++;
            }
            return task;
        }
    }

    private void yieldTurn() {
        synchronized (tasks) {
            inProgress--;
        }
        threads.executeNext(this::runTasks);
    }

    /** Rejects further tasks. Runs those that are queued. */
    public void shutdown() {
        synchronized (tasks) {
            shutdown = true;
        }
    }
}

package io.parley.pipes;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs tasks on another executor, one at a time and in order. Drops them when that executor is shut down. Thread-safe. */
final class SerialExecutor implements Executor {

    private final Executor executor;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger pending = new AtomicInteger();

    SerialExecutor(Executor executor) {
        this.executor = executor;
    }

    /** Runs a task, which must not throw. */
    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (pending.getAndIncrement() == 0) {
            try {
                executor.execute(this::runAll);
            } catch (RejectedExecutionException e) {
                tasks.clear();
                pending.set(0);
            }
        }
    }

    private void runAll() {
        int done = 0;
        do {
            Runnable next = tasks.poll();
            if (next != null) {
                next.run();
            }
            done++;
        } while (pending.get() > done);
        int left = pending.addAndGet(-done);
        if (left > 0) {
            try {
                executor.execute(this::runAll);
            } catch (RejectedExecutionException e) {
                tasks.clear();
                pending.set(0);
            }
        }
    }
}

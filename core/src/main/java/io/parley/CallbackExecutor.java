package io.parley;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that run user callbacks, apart from those that serve connections. Each pipe queues at most one task here at
 * a time, so the number of open pipes bounds the queue. Threads end when they have nothing to do.
 */
final class CallbackExecutor implements Executor {

    private static final int THREADS = Math.max(8, 4 * Runtime.getRuntime().availableProcessors());

    private final AtomicInteger count = new AtomicInteger();
    private final ThreadPoolExecutor pool;

    CallbackExecutor(String peer) {
        pool = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, "parley-callback-" + peer + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        pool.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable task) {
        pool.execute(task);
    }

    void shutdown() {
        pool.shutdown();
    }
}

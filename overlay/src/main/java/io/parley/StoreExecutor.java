package io.parley;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The threads on which the stores of all peers of this JVM read, write and purge. Idle threads end. */
final class StoreExecutor {

    /** Two, because one may wait for a disk. */
    private static final int THREADS = 2;

    private static final AtomicLong count = new AtomicLong();
    private static final Executor shared = create();

    private StoreExecutor() {}

    private static Executor create() {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(THREADS, THREADS, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "parley-store-" + count.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** Returns the executor, which is never shut down. */
    static Executor shared() {
        return shared;
    }
}

package io.parley;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The threads on which the stores of all peers of this JVM write and tidy up. They end when there is no store. Who
 * schedules something there has to cancel it.
 */
final class StoreScheduler {

    /** One may wait for a disk. */
    private static final int THREADS = 2;

    private static final AtomicLong count = new AtomicLong();
    private static final ScheduledThreadPoolExecutor scheduler = scheduler();

    private StoreScheduler() {}

    private static ScheduledThreadPoolExecutor scheduler() {
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(THREADS, task -> {
            Thread thread = new Thread(task, "parley-store-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        scheduler.setRemoveOnCancelPolicy(true);
        scheduler.setKeepAliveTime(5, TimeUnit.SECONDS);
        scheduler.allowCoreThreadTimeOut(true);
        return scheduler;
    }

    /** Is never shut down. */
    static ScheduledExecutorService shared() {
        return scheduler;
    }
}

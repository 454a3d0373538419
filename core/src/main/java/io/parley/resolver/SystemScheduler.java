package io.parley.resolver;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The system's time; tasks run on the thread that the JDK has for the time-outs of futures, so none of ours is needed. */
final class SystemScheduler implements Scheduler {

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Runnable after(Duration delay, Runnable task) {
        CompletableFuture<Boolean> due = new CompletableFuture<>();
        due.thenAccept(ringing -> {
            if (ringing) {
                task.run();
            }
        });
        due.completeOnTimeout(true, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> due.complete(false);
    }
}

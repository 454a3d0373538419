package io.parley.common.internal;

import io.parley.common.Scheduler;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The system's time. Tasks run on the thread that the JDK has for the timeouts of futures. */
public enum SystemScheduler implements Scheduler {
    /** The only one. */
    INSTANCE;

    private final Clock clock = Clock.systemUTC();
    private final SecureRandom random = new SecureRandom();

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        CompletableFuture<Boolean> due = new CompletableFuture<>();
        due.thenAccept(isDue -> {
            if (isDue) {
                task.run();
            }
        });
        due.completeOnTimeout(true, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> due.complete(false);
    }

    @Override
    public Random random() {
        return random;
    }
}

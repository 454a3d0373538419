package io.parley.common.internal;

import io.parley.common.Scheduler;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The scheduler in system time. Tasks run on the JDK thread that completes futures after a timeout. */
public enum SystemScheduler implements Scheduler {
    /** The only instance. */
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

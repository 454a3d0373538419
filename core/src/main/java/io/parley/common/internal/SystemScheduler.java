package io.parley.common.internal;

import io.parley.common.Scheduler;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The scheduler in system time. Tasks run on the JDK thread that completes futures after a timeout. */
public enum SystemScheduler implements Scheduler {
    /** The only instance. */
    INSTANCE;

    private static final Logger log = LoggerFactory.getLogger(SystemScheduler.class);

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
                run(task);
            }
        });
        due.completeOnTimeout(true, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> due.complete(false);
    }

    /** Logs the failure of a task, which the future would keep to itself. */
    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            log.warn("Task of a timer failed", e);
        }
    }

    @Override
    public Random random() {
        return random;
    }
}

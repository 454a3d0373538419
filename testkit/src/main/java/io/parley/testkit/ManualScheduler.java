package io.parley.testkit;

import io.parley.common.Scheduler;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Manual time: it stands still until a test advances it. Tasks run in the thread that advances it, in the order of their
 * time. Thread-safe.
 */
public final class ManualScheduler implements Scheduler {

    private record Task(long dueNanos, Runnable action) {}

    private final List<Task> tasks = new ArrayList<>();
    private final ManualClock clock;
    private final Random random;
    private long now = Long.MAX_VALUE - 1000; // so that it overflows, as it may

    /** Starts at a fixed time of day with a fixed seed. */
    public ManualScheduler() {
        this(new ManualClock(Instant.parse("2026-01-01T00:00:00Z")), new Random(1));
    }

    /** Starts at the time of the clock, which it advances. */
    public ManualScheduler(ManualClock clock, Random random) {
        this.clock = clock;
        this.random = random;
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public synchronized long nanoTime() {
        return now;
    }

    @Override
    public synchronized Timer schedule(Duration delay, Runnable action) {
        Task task = new Task(now + delay.toNanos(), action);
        tasks.add(task);
        return () -> cancel(task);
    }

    private synchronized void cancel(Task task) {
        tasks.remove(task);
    }

    @Override
    public Random random() {
        return random;
    }

    /** Advances the time, and runs the tasks that become due, also those that such tasks schedule. */
    public void advance(Duration by) {
        long end = nanoTime() + by.toNanos();
        for (Optional<Task> next = next(end); next.isPresent(); next = next(end)) {
            next.get().action().run();
        }
        moveTo(end);
    }

    private synchronized Optional<Task> next(long end) {
        Optional<Task> next = tasks.stream()
                .filter(task -> task.dueNanos() - end <= 0)
                .min(Comparator.comparingLong(task -> task.dueNanos() - now));
        next.ifPresent(task -> {
            tasks.remove(task);
            moveTo(task.dueNanos());
        });
        return next;
    }

    private synchronized void moveTo(long nanos) {
        if (nanos - now > 0) {
            clock.advance(Duration.ofNanos(nanos - now));
            now = nanos;
        }
    }

    /** Returns the number of tasks that are scheduled. */
    public synchronized int pending() {
        return tasks.size();
    }

    /** Returns the number of tasks that become due within {@code time}. */
    public synchronized long pendingWithin(Duration time) {
        return tasks.stream()
                .filter(task -> task.dueNanos() - now <= time.toNanos())
                .count();
    }
}

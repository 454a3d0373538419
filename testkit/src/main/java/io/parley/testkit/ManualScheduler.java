package io.parley.testkit;

import io.parley.common.Scheduler;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Manual time: it stands still until a test advances it. Timers and the tasks of {@linkplain #newExecutor its executors} run
 * on the thread that advances it. Timers run in the order of their time. If a timer and tasks of executors are ready at the
 * same time, the random source determines which one runs next, so a seed determines the order of all events. The tasks of
 * one executor keep their order. Thread-safe.
 */
public final class ManualScheduler implements Scheduler {

    /** A timer. No record, because two timers with the same time and action are not the same timer. */
    private static final class Task {

        private final long dueNanos;
        private final long number;
        private final Runnable action;

        private Task(long dueNanos, long number, Runnable action) {
            this.dueNanos = dueNanos;
            this.number = number;
            this.action = action;
        }

        /** Compares times by their difference, because they may overflow; timers with the same time by their age. */
        private static int compare(Task one, Task other) {
            int order = Long.signum(one.dueNanos - other.dueNanos);
            return order == 0 ? Long.compare(one.number, other.number) : order;
        }
    }

    private final NavigableSet<Task> timers = new TreeSet<>(Task::compare);
    /** The number of timers so far, which distinguishes those with the same time. */
    private long scheduled;

    private final List<Queue<Runnable>> executors = new ArrayList<>();
    private final ManualClock clock;
    private final Random random;
    private long now = Long.MAX_VALUE - 1000; // so that it overflows, as the time of the system may

    /** Starts at a fixed time of day with a fixed seed. */
    public ManualScheduler() {
        this(new ManualClock(Instant.parse("2026-01-01T00:00:00Z")), new Random(1));
    }

    /**
     * Starts at the time of the clock, which it advances.
     *
     * @param random the source of random numbers for its users and for the order of tasks
     */
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
        Task task = new Task(now + delay.toNanos(), scheduled++, action);
        timers.add(task);
        return () -> cancel(task);
    }

    private synchronized void cancel(Task task) {
        timers.remove(task);
    }

    @Override
    public Random random() {
        return random;
    }

    /**
     * Returns an executor whose tasks run one at a time and in order, on the thread that calls {@link #runReady} or
     * {@link #advance}.
     */
    public synchronized Executor newExecutor() {
        Queue<Runnable> queue = new ArrayDeque<>();
        executors.add(queue);
        return task -> enqueue(queue, task);
    }

    private synchronized void enqueue(Queue<Runnable> queue, Runnable task) {
        queue.add(task);
    }

    /** Runs the tasks and timers that are ready now, and those that become ready by them, without advancing the time. */
    public void runReady() {
        advance(Duration.ZERO);
    }

    /** Advances the time. Runs the tasks and timers that become ready, including those that are added by such tasks. */
    public void advance(Duration by) {
        long end = nanoTime() + by.toNanos();
        for (Runnable next = next(end); next != null; next = next(end)) {
            next.run();
        }
        moveTo(end);
    }

    /** Removes the next task; advances the time if there is none at the present time. */
    private synchronized @Nullable Runnable next(long end) {
        Optional<Task> timer = nextTimer(end);
        List<Queue<Runnable>> ready =
                executors.stream().filter(queue -> !queue.isEmpty()).toList();
        boolean timerReady = timer.isPresent() && timer.get().dueNanos - now <= 0;
        int candidates = ready.size() + (timerReady ? 1 : 0);
        int chosen = candidates > 1 ? random.nextInt(candidates) : 0;
        if (chosen < ready.size()) {
            return ready.get(chosen).remove();
        }
        timer.ifPresent(due -> {
            timers.remove(due);
            moveTo(due.dueNanos);
        });
        return timer.map(due -> due.action).orElse(null);
    }

    private Optional<Task> nextTimer(long end) {
        return timers.isEmpty() || timers.first().dueNanos - end > 0 ? Optional.empty() : Optional.of(timers.first());
    }

    private synchronized void moveTo(long nanos) {
        if (nanos - now > 0) {
            clock.advance(Duration.ofNanos(nanos - now));
            now = nanos;
        }
    }

    /** Returns the number of timers that are scheduled. */
    public synchronized int pending() {
        return timers.size();
    }

    /** Returns the number of timers that become due within {@code time}. */
    public synchronized long pendingWithin(Duration time) {
        return timers.stream()
                .filter(task -> task.dueNanos - now <= time.toNanos())
                .count();
    }
}

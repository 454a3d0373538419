package io.parley.common.internal;

import io.parley.common.Scheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Daemon threads that many users, such as the peers of this JVM, share. Each user has a {@link BoundedExecutor}. A few threads
 * run the tasks in the order of their arrival. A task that has waited for {@link #MAX_WAIT} gets another thread for each one that
 * is blocked. The number of threads therefore follows the number of blocked tasks, not the number of users. Tasks that only lack
 * a processor get no more threads, which would take it from the event loops, until they have waited for {@link #MAX_RUNNABLE_WAIT}:
 * a thread that waits in native code, such as for a file, does not look blocked. While
 * more than the few are not blocked, a thread that has worked for {@link #SURPLUS_CHECK_INTERVAL} stops after a task, even if others
 * wait: the few take them. Idle threads end. Thread-safe.
 */
public final class SharedThreads {

    /** The time after which a task gets another thread, within the maximum, if threads are blocked. */
    static final Duration MAX_WAIT = Duration.ofMillis(10);

    /** The time after which a task gets another thread, within the maximum, although no thread is blocked. */
    static final Duration MAX_RUNNABLE_WAIT = Duration.ofMillis(50);

    /**
     * The interval at which a thread looks whether it is one too many. Threads whose tasks often block therefore stop and start a few
     * times a second at most, and one that has started because others wait in native code does some work.
     */
    static final Duration SURPLUS_CHECK_INTERVAL = Duration.ofMillis(50);

    private static final Logger log = LoggerFactory.getLogger(SharedThreads.class);

    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(5);

    private record WaitingTask(Runnable task, long sinceNanos) {}

    private final Executor threads;
    private final int fewThreads;
    private final int maxThreads;
    private final Scheduler scheduler;
    private final RateLimitedLogger startLog;
    private final Deque<WaitingTask> waiting = new ArrayDeque<>();

    /** The threads that run tasks. A thread that is about to start is counted as running, but not here yet. */
    private final Set<Thread> runners = ConcurrentHashMap.newKeySet();

    private int running;
    private boolean watching;

    /** Whether tasks wait, or more than the few threads run. */
    private volatile boolean contended;

    /**
     * Creates threads, which start when they are needed.
     *
     * @param namePrefix the prefix of the names of the threads
     * @param fewThreads the number of threads up to which no task waits
     * @param maxThreads the maximum number of threads, blocked ones included
     */
    public SharedThreads(String namePrefix, int fewThreads, int maxThreads) {
        this(namePrefix, fewThreads, maxThreads, IDLE_TIMEOUT, Scheduler.system());
    }

    /** Creates threads that end when they have been idle for some time. */
    public SharedThreads(String namePrefix, int fewThreads, int maxThreads, Duration idleTimeout) {
        this(namePrefix, fewThreads, maxThreads, idleTimeout, Scheduler.system());
    }

    SharedThreads(String namePrefix, int fewThreads, int maxThreads, Scheduler scheduler) {
        this(namePrefix, fewThreads, maxThreads, IDLE_TIMEOUT, scheduler);
    }

    private SharedThreads(
            String namePrefix, int fewThreads, int maxThreads, Duration idleTimeout, Scheduler scheduler) {
        this(newThreads(namePrefix, idleTimeout), fewThreads, maxThreads, scheduler);
    }

    /**
     * Creates threads from those of an executor.
     *
     * @param threads runs each task on a thread of its own, or throws if there is none: the task is passed to it again later
     */
    public SharedThreads(Executor threads, int fewThreads, int maxThreads, Scheduler scheduler) {
        this.threads = threads;
        this.fewThreads = fewThreads;
        this.maxThreads = maxThreads;
        this.scheduler = scheduler;
        this.startLog = new RateLimitedLogger(log, scheduler);
    }

    private static Executor newThreads(String namePrefix, Duration idleTimeout) {
        AtomicLong count = new AtomicLong();
        return new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE, // the bound is maxThreads
                idleTimeout.toMillis(),
                TimeUnit.MILLISECONDS,
                new SynchronousQueue<>(),
                task -> {
                    Thread thread = new Thread(task, namePrefix + count.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /** Runs a task. If it needs a thread that cannot be created, it waits for one, as those beyond the few do. */
    void execute(Runnable task) {
        synchronized (this) {
            if (running >= fewThreads) {
                addWaiting(task);
                return;
            }
            running++;
        }
        startOrKeep(new WaitingTask(task, scheduler.nanoTime()));
    }

    /** Runs a task after those that wait: a thread whose task ends takes it, or one that starts after the wait. */
    synchronized void executeNext(Runnable task) {
        addWaiting(task);
    }

    /** The caller must hold the lock. */
    private void addWaiting(Runnable task) {
        waiting.add(new WaitingTask(task, scheduler.nanoTime()));
        contended = true;
        watch();
    }

    /**
     * Returns whether tasks wait for a thread or more than the few run, so that a user with many tasks must let others run, or the
     * thread stop.
     */
    boolean isContended() {
        return contended;
    }

    /**
     * Runs a task. An exception of the task goes to the handler of the thread, and does not end the thread, because the system may have
     * no other one.
     */
    public static void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            Thread thread = Thread.currentThread();
            try {
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            } catch (Throwable ignored) {
                // as the JVM does
            }
        }
    }

    /** Runs a task as {@link #runGuarded} does. The next task of the thread does not see its interrupt. */
    static void runIsolated(Runnable task) {
        runGuarded(task);
        Thread.interrupted();
    }

    /** Starts a task that is counted as running. */
    private void start(Runnable task) {
        boolean started = false;
        try {
            threads.execute(() -> run(task));
            started = true;
        } finally {
            if (!started) {
                synchronized (this) {
                    running--;
                    updateContended();
                }
            }
        }
    }

    /** Runs the task, then waiting ones, until there are none or this thread is one too many. */
    private void run(Runnable first) {
        runners.add(Thread.currentThread());
        try {
            long checkedNanos = scheduler.nanoTime();
            for (Runnable task = first; task != null; task = next()) {
                runIsolated(task);
                if (contended && scheduler.nanoTime() - checkedNanos >= SURPLUS_CHECK_INTERVAL.toNanos()) {
                    if (stopSurplus()) {
                        return;
                    }
                    checkedNanos = scheduler.nanoTime();
                }
            }
        } finally {
            runners.remove(Thread.currentThread());
        }
    }

    /** Stops to count this thread as running if the others that are not blocked are the few. The tasks that wait are theirs. */
    private boolean stopSurplus() {
        int blocked = blocked(); // outside of the lock, because a thread that waits for it looks blocked
        synchronized (this) {
            if (running - blocked <= fewThreads) {
                return false;
            }
            running--;
            updateContended();
            return true;
        }
    }

    private synchronized @Nullable Runnable next() {
        WaitingTask next = waiting.poll();
        if (next == null) {
            running--;
        }
        updateContended();
        return next == null ? null : next.task;
    }

    /** The caller must hold the lock. */
    private void updateContended() {
        contended = !waiting.isEmpty() || running > fewThreads;
    }

    /** Checks later whether tasks wait for too long. The caller must hold the lock. */
    private void watch() {
        if (!watching) {
            watching = true;
            scheduler.schedule(MAX_WAIT, this::startOverdue);
        }
    }

    private void startOverdue() {
        List<WaitingTask> overdue = new ArrayList<>();
        int blocked = blocked(); // outside of the lock, because a thread that waits for it looks blocked
        synchronized (this) {
            watching = false;
            long now = scheduler.nanoTime();
            for (WaitingTask next = waiting.peek();
                    next != null && running < maxThreads && isOverdue(now - next.sinceNanos, blocked);
                    next = waiting.peek()) {
                overdue.add(waiting.remove());
                running++;
            }
            updateContended();
            if (!waiting.isEmpty()) {
                watch();
            }
        }
        overdue.forEach(this::startOrKeep);
    }

    /** The caller must hold the lock. */
    private boolean isOverdue(long waitNanos, int blocked) {
        return waitNanos >= MAX_RUNNABLE_WAIT.toNanos()
                || (waitNanos >= MAX_WAIT.toNanos() && running - blocked < fewThreads);
    }

    private int blocked() {
        int blocked = 0;
        for (Thread runner : runners) {
            if (runner.getState() != Thread.State.RUNNABLE) {
                blocked++;
            }
        }
        return blocked;
    }

    private void startOrKeep(WaitingTask overdue) {
        try {
            start(overdue.task);
        } catch (RuntimeException | Error e) {
            startLog.warn("Cannot start a thread; the task waits for another one", e);
            synchronized (this) {
                waiting.addFirst(overdue);
                contended = true;
                watch();
            }
        }
    }
}

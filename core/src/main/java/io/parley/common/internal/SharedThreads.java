package io.parley.common.internal;

import io.parley.common.Scheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
 * a thread that waits in native code, such as for a file, does not look blocked. A thread that has started stays while tasks wait.
 * Idle threads end. Thread-safe.
 */
public final class SharedThreads {

    /** The time after which a task gets another thread, within the maximum, if threads are blocked. */
    static final Duration MAX_WAIT = Duration.ofMillis(10);

    /** The time after which a task gets another thread, within the maximum, although no thread is blocked. */
    static final Duration MAX_RUNNABLE_WAIT = Duration.ofMillis(50);

    private static final Logger log = LoggerFactory.getLogger(SharedThreads.class);

    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(5);

    private record WaitingTask(Runnable task, long sinceNanos) {}

    private final ThreadPoolExecutor threads;
    private final int fewThreads;
    private final int maxThreads;
    private final Scheduler scheduler;
    private final Deque<WaitingTask> waiting = new ArrayDeque<>();

    /** The threads that run tasks. A thread that is about to start is counted as running, but not here yet. */
    private final Set<Thread> runners = ConcurrentHashMap.newKeySet();

    private int running;
    private boolean watching;
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
        this.fewThreads = fewThreads;
        this.maxThreads = maxThreads;
        this.scheduler = scheduler;
        AtomicLong count = new AtomicLong();
        this.threads = new ThreadPoolExecutor(
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

    /** Runs a task. Throws the error of the system if it needs a thread that cannot be created. */
    void execute(Runnable task) {
        synchronized (this) {
            if (running >= fewThreads) {
                waiting.add(new WaitingTask(task, scheduler.nanoTime()));
                contended = true;
                watch();
                return;
            }
            running++;
        }
        start(task);
    }

    /** Returns whether tasks wait for a thread, so that a user with many tasks must let others run. */
    boolean isContended() {
        return contended;
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
                }
            }
        }
    }

    /** Runs the task, then waiting ones. A task that throws ends the thread, but not the work. */
    private void run(Runnable first) {
        boolean done = false;
        runners.add(Thread.currentThread());
        try {
            for (Runnable task = first; task != null; task = next()) {
                task.run();
            }
            done = true;
        } finally {
            runners.remove(Thread.currentThread());
            Runnable next = done ? null : next();
            if (next != null) {
                start(next);
            }
        }
    }

    private synchronized @Nullable Runnable next() {
        WaitingTask next = waiting.poll();
        contended = !waiting.isEmpty();
        if (next == null) {
            running--;
            return null;
        }
        return next.task;
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
            contended = !waiting.isEmpty();
            if (contended) {
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
            log.warn("Cannot start a thread; the task waits for another one", e);
            synchronized (this) {
                waiting.addFirst(overdue);
                contended = true;
                watch();
            }
        }
    }
}

package io.parley.store.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.Timers;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.store.internal.StoreMetrics.Counter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the periodic maintenance of a store, and its flushes: all flushes requested while another runs share the next one. */
final class MaintenanceScheduler {
    private static final Logger log = LoggerFactory.getLogger(MaintenanceScheduler.class);

    private static final Duration TICK = Duration.ofSeconds(1);

    /** Entries removed at a time, which bounds the time that the lock is held. */
    private static final int PURGE_STEP = 128;

    /** Steps in one tick. Expired entries that remain are invisible. */
    private static final int PURGE_STEPS = 64;

    /** Ticks without a change after which compaction does not disturb other work. */
    private static final int IDLE_TICKS = 3;

    private final TableStore store;
    private final Scheduler scheduler;
    private final Executor executor;
    private final Object lock = new Object();

    /** Completes with the next flush; guarded by {@link #lock}. */
    private @Nullable CompletableFuture<Void> next;

    private boolean stopped;
    private volatile @Nullable ParleyException closeFailure;
    private Scheduler.Timer timer = () -> {};

    /** Accessed by ticks only, which never run concurrently. */
    private long commitsSeen;

    private int idleTicks;

    MaintenanceScheduler(TableStore store, Scheduler scheduler, Executor executor) {
        this.store = store;
        this.scheduler = scheduler;
        this.executor = executor;
    }

    void start() {
        synchronized (lock) {
            if (!stopped) {
                timer = Timers.schedule(scheduler, TICK, executor, () -> {
                    tick();
                    start();
                });
            }
        }
    }

    /** Stops ticks and flushes. Pending flushes complete with {@link #settlePending()}. */
    void stop() {
        synchronized (lock) {
            stopped = true;
            timer.cancel();
        }
    }

    CompletableFuture<Void> flush() {
        CompletableFuture<Void> flushed;
        synchronized (lock) {
            if (stopped) {
                return CompletableFuture.failedFuture(ErrorCode.CLOSED.exception("the advertisement store is closed"));
            }
            if (next != null) {
                return next.copy();
            }
            flushed = new CompletableFuture<>();
            next = flushed;
        }
        CompletableFuture<Void> copy = flushed.copy(); // callers cannot complete the shared future
        try {
            executor.execute(this::flushNow);
        } catch (RejectedExecutionException e) {
            settlePending(ErrorCode.CLOSED.exception("the executor of the advertisement store is shut down", e));
        } catch (RuntimeException | Error e) { // the system has no more threads
            settlePending(ErrorCode.BUSY.exception("no thread to write the advertisement store", e));
        }
        return copy;
    }

    private void flushNow() {
        CompletableFuture<Void> flush = removeNext();
        if (flush == null) {
            return;
        }
        try {
            store.writeAll();
            flush.complete(null);
        } catch (ParleyException e) {
            // A concurrent close has written everything, or has failed with closeFailure.
            settle(e.code() == ErrorCode.CLOSED ? closeFailure : e, flush);
        } catch (RuntimeException | Error e) {
            flush.completeExceptionally(e);
        }
    }

    /** Sets the outcome of closing, which a flush that began too late gets. */
    void onClosed(@Nullable ParleyException failure) {
        closeFailure = failure;
    }

    /** Completes a flush that has not begun with the outcome of closing. */
    void settlePending() {
        settlePending(closeFailure);
    }

    private void settlePending(@Nullable ParleyException failure) {
        CompletableFuture<Void> pending = removeNext();
        if (pending != null) {
            settle(failure, pending);
        }
    }

    private static void settle(@Nullable ParleyException failure, CompletableFuture<Void> flush) {
        if (failure == null) {
            flush.complete(null);
        } else {
            flush.completeExceptionally(failure);
        }
    }

    private @Nullable CompletableFuture<Void> removeNext() {
        synchronized (lock) {
            CompletableFuture<Void> removed = next;
            next = null;
            return removed;
        }
    }

    private void tick() {
        try {
            store.endOutage();
            store.write();
            for (int step = 0; step < PURGE_STEPS && store.purge(PURGE_STEP); step++) {
                Thread.onSpinWait(); // gives other threads a chance to acquire the lock
            }
            long commits = store.metrics().get(Counter.COMMITS);
            idleTicks = commits == commitsSeen ? idleTicks + 1 : 0;
            commitsSeen = commits;
            store.compact(idleTicks >= IDLE_TICKS);
        } catch (ParleyException e) {
            if (e.code() != ErrorCode.CLOSED) {
                log.warn("Maintenance of the advertisement store failed: {}", e.getMessage());
            }
        } catch (RuntimeException | Error e) {
            // An exception would end the periodic execution.
            log.warn("Maintenance of the advertisement store failed", e);
        }
    }
}

package io.parley.store.internal;

import io.parley.common.Scheduler;
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

/** What a store does by the second, and flushes: one for all that ask while another is under way. */
final class MaintenanceScheduler {
    private static final Logger LOG = LoggerFactory.getLogger(MaintenanceScheduler.class);

    private static final Duration TICK = Duration.ofSeconds(1);

    /** Entries removed at a time, so that nobody waits long for the lock. */
    private static final int PURGE_STEP = 128;

    /** How often in one tick. What is left, nobody sees. */
    private static final int PURGE_STEPS = 64;

    /** Seconds without a change after which nobody is expected to mind the compaction. */
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

    /** Only ticks know, and they come one after the other. */
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
                timer = scheduler.schedule(TICK, this::onTick);
            }
        }
    }

    private void onTick() {
        try {
            executor.execute(() -> {
                tick();
                start();
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("Stopped the maintenance of the advertisement store: its executor is shut down");
        }
    }

    /** No more ticks and flushes; those that wait need {@link #settle}. */
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
        CompletableFuture<Void> copy = flushed.copy(); // nobody completes it for the others
        try {
            executor.execute(this::flushNow);
        } catch (RejectedExecutionException e) {
            settleWaiting(ErrorCode.CLOSED.exception("the executor of the advertisement store is shut down", e));
        }
        return copy;
    }

    private void flushNow() {
        CompletableFuture<Void> flushing = take();
        if (flushing == null) {
            return;
        }
        try {
            store.writeAll();
            flushing.complete(null);
        } catch (ParleyException e) {
            // When closing was faster, it has written all, or knows why not.
            settle(e.code() == ErrorCode.CLOSED ? closeFailure : e, flushing);
        } catch (RuntimeException | Error e) {
            flushing.completeExceptionally(e);
        }
    }

    /** Says how closing went to the flush that has not begun, if any, and to one that has but came too late. */
    void settle(@Nullable ParleyException failure) {
        closeFailure = failure;
        settleWaiting(failure);
    }

    private void settleWaiting(@Nullable ParleyException failure) {
        CompletableFuture<Void> waiting = take();
        if (waiting != null) {
            settle(failure, waiting);
        }
    }

    private static void settle(@Nullable ParleyException failure, CompletableFuture<Void> flush) {
        if (failure == null) {
            flush.complete(null);
        } else {
            flush.completeExceptionally(failure);
        }
    }

    private @Nullable CompletableFuture<Void> take() {
        synchronized (lock) {
            CompletableFuture<Void> taken = next;
            next = null;
            return taken;
        }
    }

    private void tick() {
        try {
            store.endOutage();
            store.write();
            for (int step = 0; step < PURGE_STEPS && store.tidy(PURGE_STEP); step++) {
                Thread.onSpinWait(); // lets others have the lock
            }
            long commits = store.metrics().get(Counter.COMMITS);
            idleTicks = commits == commitsSeen ? idleTicks + 1 : 0;
            commitsSeen = commits;
            store.compact(idleTicks >= IDLE_TICKS);
        } catch (ParleyException e) {
            if (e.code() != ErrorCode.CLOSED) {
                LOG.warn("the advertisement store: {}", e.getMessage());
            }
        } catch (RuntimeException | Error e) {
            // A tick that throws would be the last.
            LOG.warn("work in the background of the advertisement store failed", e);
        }
    }
}

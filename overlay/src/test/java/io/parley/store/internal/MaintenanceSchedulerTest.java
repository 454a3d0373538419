package io.parley.store.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.store.StoreLimits;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The maintenance of a store in manual time. */
class MaintenanceSchedulerTest {

    private static final Duration TICK = Duration.ofSeconds(1);
    private static final long NOW = 1_000_000;

    private final ManualScheduler scheduler =
            new ManualScheduler(new ManualClock(Instant.ofEpochMilli(NOW)), new Random(1));
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    private AdvertisementStore open() {
        return AdvertisementStore.inMemory(StoreLimits.DEFAULTS, scheduler, tasks::add);
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private static void put(AdvertisementStore store, String name, long expiresMillis) {
        StoreKey key = new StoreKey(GroupId.NET, "pipe", name);
        assertThat(store.put(new StoreEntry(key, List.of(), 1, expiresMillis, new byte[0])))
                .isEqualTo(PutOutcome.ADDED);
    }

    @Test
    void tick_purgesExpiredEntries_andSchedulesTheNext() {
        AdvertisementStore store = open();
        put(store, "a", NOW + 1500);
        put(store, "b", NOW + 10_000);
        scheduler.advance(TICK);
        runTasks();
        assertThat(store.count()).isEqualTo(2);
        scheduler.advance(TICK);
        assertThat(store.count()).as("before the executor runs the tick").isEqualTo(2);
        runTasks();
        assertThat(store.count()).isEqualTo(1);
        assertThat(store.metrics().get(StoreMetrics.Counter.PURGED)).isEqualTo(1);
        store.close();
    }

    @Test
    void tick_runsOnce_untilTheExecutorHasFinishedIt() {
        AdvertisementStore store = open();
        scheduler.advance(TICK.multipliedBy(10));
        assertThat(tasks).hasSize(1);
        assertThat(scheduler.pending()).isZero();
        runTasks();
        assertThat(scheduler.pendingWithin(TICK)).isEqualTo(1);
        store.close();
    }

    @Test
    void flushes_beforeOneRuns_shareIt() {
        AdvertisementStore store = open();
        CompletableFuture<Void> first = store.flush();
        CompletableFuture<Void> second = store.flush();
        assertThat(tasks).hasSize(1);
        first.complete(null);
        assertThat(second).as("independent of the other caller's future").isNotDone();
        runTasks();
        assertThat(second).isCompleted();
        CompletableFuture<Void> third = store.flush();
        assertThat(tasks).hasSize(1);
        store.close();
        assertThat(third).isCompleted();
    }

    @Test
    void flushWithoutAThread_fails_andTheNextOneRuns() {
        AtomicBoolean failing = new AtomicBoolean(true);
        AdvertisementStore store = AdvertisementStore.inMemory(StoreLimits.DEFAULTS, scheduler, task -> {
            if (failing.getAndSet(false)) {
                throw new InternalError("no thread");
            }
            tasks.add(task);
        });
        assertThat(Eventually.failure(store.flush(), "a flush without a thread"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
        CompletableFuture<Void> next = store.flush();
        runTasks();
        assertThat(next).isCompleted();
        store.close();
    }

    @Test
    void flushThatCloseCompletes_findsTheStoreClosed() {
        AdvertisementStore store = open();
        CompletableFuture<Void> put = store.flush().thenRun(() -> put(store, "late", NOW + 1000));
        store.close();
        assertThat(Eventually.failure(put, "put after the flush"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
    }

    @Test
    void flushThatCloseCompletes_mayWaitForAnotherUserOfTheStore() {
        AdvertisementStore store = open();
        CompletableFuture<Throwable> counted = store.flush()
                .thenApply(done -> Eventually.failure(CompletableFuture.supplyAsync(store::count), "count"));
        store.close();
        assertThat(Eventually.get(counted, "count after the flush"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
    }

    @Test
    void close_cancelsTheTimer() {
        AdvertisementStore store = open();
        assertThat(scheduler.pending()).isEqualTo(1);
        store.close();
        assertThat(scheduler.pending()).isZero();
        scheduler.advance(TICK);
        assertThat(tasks).isEmpty();
    }

    @Test
    void close_afterTheTickWasSubmitted_schedulesNoOther() {
        AdvertisementStore store = open();
        scheduler.advance(TICK);
        store.close();
        runTasks();
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void executorShutDown_endsMaintenance_andFailsFlushes() {
        AdvertisementStore store = AdvertisementStore.inMemory(StoreLimits.DEFAULTS, scheduler, task -> {
            throw new RejectedExecutionException("shut down");
        });
        scheduler.advance(TICK);
        assertThat(scheduler.pending()).isZero();
        assertThat(Eventually.failure(store.flush(), "flush"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
        store.close();
    }
}

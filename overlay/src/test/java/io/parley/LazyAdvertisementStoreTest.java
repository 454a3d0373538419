package io.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.store.StoreLimits;
import io.parley.store.internal.AdvertisementStore;
import io.parley.store.internal.StoreMetrics.Counter;
import io.parley.store.internal.StoreQuery;
import io.parley.testkit.Eventually;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LazyAdvertisementStoreTest {

    private final ScheduledExecutorService background = Executors.newSingleThreadScheduledExecutor();
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    /** The number of the next tasks that the executor refuses. */
    private final AtomicInteger failures = new AtomicInteger();

    private final LazyAdvertisementStore store = new LazyAdvertisementStore(
            () -> AdvertisementStore.inMemory(StoreLimits.DEFAULTS, Scheduler.system(), background), this::execute);

    private void execute(Runnable task) {
        if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new InternalError("no thread (of the test)");
        }
        tasks.add(task);
    }

    @AfterEach
    void end() {
        background.shutdown();
    }

    @Test
    void open_runsOnce_onTheExecutor() {
        assertThat(tasks).isEmpty();
        CompletableFuture<AdvertisementStore> opening = store.open();
        store.open();
        assertThat(tasks).hasSize(1);
        assertThat(opening).isNotDone();
        assertThat(store.metrics().get(Counter.SEARCHES)).isZero(); // does not wait
        tasks.remove().run();
        assertThat(opening).isCompleted();
        assertThat(store.count()).isZero();
        store.find(StoreQuery.of(GroupId.NET, "pipe"), 1);
        assertThat(store.metrics().get(Counter.SEARCHES)).isEqualTo(1);
        store.close();
    }

    @Test
    void use_beforeItIsOpen_opensIt() {
        CompletableFuture<Void> flushed = store.flush();
        assertThat(flushed).isNotDone();
        tasks.remove().run();
        Eventually.get(flushed, "the flush");
        store.close();
        store.close();
    }

    @Test
    void executorThatFails_isUsedAgain() {
        failures.set(1);
        assertThatThrownBy(store::open).isInstanceOf(InternalError.class);
        CompletableFuture<Void> flushed = store.flush();
        tasks.remove().run();
        Eventually.get(flushed, "the flush");
        store.close();
    }

    @Test
    void close_afterTheExecutorHasFailed_doesNotWait() {
        failures.set(1);
        assertThatThrownBy(store::open).isInstanceOf(InternalError.class);
        Eventually.get(CompletableFuture.runAsync(store::close), "closing");
        assertThat(tasks).isEmpty();
    }

    @Test
    void close_beforeItIsOpen_neverOpensIt() {
        store.close();
        store.close();
        assertThat(tasks).isEmpty();
        assertThatThrownBy(store::count)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
        assertThat(tasks).isEmpty();
    }
}

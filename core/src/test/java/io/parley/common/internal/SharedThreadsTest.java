package io.parley.common.internal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The threads that users share, and the share of each user. The time in which tasks wait is manual. */
class SharedThreadsTest {

    private static final int FEW = 4;
    private static final int MAX = 6;

    private final ManualScheduler scheduler = new ManualScheduler();
    private final SharedThreads threads = new SharedThreads("parley-test-", FEW, MAX, scheduler);
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger blocked = new AtomicInteger();

    @AfterEach
    void releaseThreads() {
        release.countDown();
    }

    private final Set<Thread> blockedThreads = ConcurrentHashMap.newKeySet();

    private void block() {
        blockedThreads.add(Thread.currentThread());
        blocked.incrementAndGet();
        Eventually.latch(release, "the end of the test");
    }

    /** Uses a processor until the end of the test. */
    private void spin() {
        blocked.incrementAndGet();
        while (release.getCount() > 0) {
            Thread.onSpinWait();
        }
    }

    private void block(Executor executor, int tasks) {
        for (int i = 0; i < tasks; i++) {
            executor.execute(this::block);
        }
    }

    private void untilBlocked(int tasks) {
        untilStarted(tasks);
        Eventually.until(
                () -> "threads: " + blockedThreads,
                () -> blockedThreads.stream().noneMatch(thread -> thread.getState() == Thread.State.RUNNABLE));
    }

    private void untilStarted(int tasks) {
        Eventually.until(() -> "tasks: " + blocked, () -> blocked.get() == tasks);
    }

    private static void untilRun(Executor executor) {
        CountDownLatch done = new CountDownLatch(1);
        executor.execute(done::countDown);
        Eventually.latch(done, "the task");
    }

    @Test
    void task_behindBlockedOnes_getsAThreadAfterTheWait_untilTheMaximum() {
        block(threads::execute, MAX + 1);
        untilBlocked(FEW);
        assertThat(threads.isContended()).isTrue();

        scheduler.advance(SharedThreads.MAX_WAIT.minusNanos(1));
        assertThat(blocked).hasValue(FEW);
        scheduler.advance(SharedThreads.MAX_WAIT);
        untilBlocked(MAX);
        scheduler.advance(SharedThreads.MAX_WAIT.multipliedBy(3));
        assertThat(blocked).as("tasks on threads").hasValue(MAX);

        release.countDown();
        untilBlocked(MAX + 1);
        untilRun(threads::execute);
        scheduler.advance(SharedThreads.MAX_WAIT);
        Eventually.until(() -> "threads run", () -> !threads.isContended());
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void task_behindOnesThatUseProcessors_getsNoThreadForALongTime() {
        for (int i = 0; i < FEW + 1; i++) {
            threads.execute(this::spin);
        }
        untilStarted(FEW);
        scheduler.advance(SharedThreads.MAX_RUNNABLE_WAIT.minusNanos(1));
        assertThat(scheduler.pending()).as("watches").isEqualTo(1);
        assertThat(threads.isContended()).isTrue();

        scheduler.advance(SharedThreads.MAX_WAIT);
        untilStarted(FEW + 1); // they may wait for a file
        assertThat(scheduler.pending()).as("watches").isZero();
    }

    /** A task that runs until the test releases it. */
    private final class Held {

        private final CountDownLatch end = new CountDownLatch(1);
        private volatile @Nullable Thread thread;

        private void run() {
            thread = Thread.currentThread();
            while (end.getCount() > 0 && release.getCount() > 0) {
                Thread.onSpinWait();
            }
        }

        private Held on(Executor executor) {
            executor.execute(this::run);
            return this;
        }

        private boolean isStarted() {
            return thread != null;
        }

        private Held untilStarted() {
            Eventually.until(() -> "the task waits", this::isStarted);
            return this;
        }

        private boolean isThreadIdle() {
            return requireNonNull(thread).getState() == Thread.State.TIMED_WAITING;
        }
    }

    /** Starts the task on a thread that is one too many unless others are blocked, and that has run for the time. */
    private Held startLate(Executor executor, Duration time) {
        Held late = new Held().on(executor);
        scheduler.advance(SharedThreads.MAX_RUNNABLE_WAIT);
        late.untilStarted();
        scheduler.advance(time);
        return late;
    }

    private void useFewThreads() {
        for (int i = 0; i < FEW; i++) {
            threads.execute(this::spin);
        }
        untilStarted(FEW);
    }

    /** Returns whether the thread of the ended task takes the waiting one. It is idle otherwise. */
    private static boolean takes(Held ended, Held waiting) {
        ended.end.countDown();
        Eventually.until(() -> "the thread of the task", () -> waiting.isStarted() || ended.isThreadIdle());
        return waiting.isStarted();
    }

    @Test
    void surplusThread_stopsAfterATask_andTheOthersGoOn() {
        useFewThreads();
        Held late = startLate(threads::execute, SharedThreads.SURPLUS_CHECK_INTERVAL);
        Held waiting = new Held().on(threads::execute);
        assertThat(takes(late, waiting)).isFalse();

        assertThat(threads.isContended()).as("a task waits").isTrue();
        release.countDown();
        waiting.untilStarted();
    }

    @Test
    void taskThatASurplusThreadHasLeft_getsAThreadAfterTheWait() {
        useFewThreads();
        Held late = startLate(threads::execute, SharedThreads.SURPLUS_CHECK_INTERVAL);
        Held waiting = new Held().on(threads::execute);
        assertThat(takes(late, waiting)).isFalse();

        scheduler.advance(SharedThreads.MAX_RUNNABLE_WAIT);
        waiting.untilStarted();
    }

    @Test
    void surplusThread_ofAUserWithManyTasks_stopsToo() {
        useFewThreads();
        BoundedExecutor user = new BoundedExecutor(threads, 1);
        Held late = startLate(user, SharedThreads.SURPLUS_CHECK_INTERVAL);
        Held waiting = new Held().on(user);
        assertThat(takes(late, waiting)).isFalse();

        scheduler.advance(SharedThreads.MAX_RUNNABLE_WAIT);
        waiting.untilStarted();
    }

    @Test
    void surplusThread_worksForSomeTimeBeforeItStops() {
        useFewThreads();
        Held late = startLate(threads::execute, SharedThreads.SURPLUS_CHECK_INTERVAL.minusNanos(1));
        assertThat(takes(late, new Held().on(threads::execute))).isTrue();
    }

    @Test
    void threadInsteadOfABlockedOne_isNotSurplus() {
        block(threads::execute, 1);
        for (int i = 0; i < FEW - 1; i++) {
            threads.execute(this::spin);
        }
        untilBlocked(FEW);
        Held late = startLate(threads::execute, SharedThreads.SURPLUS_CHECK_INTERVAL);
        assertThat(takes(late, new Held().on(threads::execute))).isTrue();
    }

    @Test
    void idleThreads_areNotBlockedOnes() {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(MAX);
        for (int i = 0; i < MAX; i++) {
            threads.execute(() -> {
                blockedThreads.add(Thread.currentThread());
                blocked.incrementAndGet();
                Eventually.latch(first, "the other tasks");
                done.countDown();
            });
        }
        untilBlocked(FEW);
        scheduler.advance(SharedThreads.MAX_WAIT);
        untilBlocked(MAX);
        first.countDown();
        Eventually.latch(done, "the first tasks");
        untilBlocked(MAX); // because idle threads wait for tasks

        for (int i = 0; i < FEW + 1; i++) {
            threads.execute(this::spin);
        }
        untilStarted(MAX + FEW);
        scheduler.advance(SharedThreads.MAX_WAIT);
        assertThat(threads.isContended()).as("a task waits").isTrue();
    }

    @Test
    void task_behindSomeBlockedOnes_getsAsManyThreads() {
        block(threads::execute, 1);
        for (int i = 0; i < FEW - 1; i++) {
            threads.execute(this::spin);
        }
        untilBlocked(FEW);
        block(threads::execute, 2);
        scheduler.advance(SharedThreads.MAX_WAIT);
        untilBlocked(FEW + 1);
        assertThat(threads.isContended()).as("the second task waits").isTrue();
    }

    @Test
    void blockedTasks_ofOneUser_doNotDelayAnother() {
        BoundedExecutor slow = new BoundedExecutor(threads, FEW - 1);
        block(slow, 100);
        untilBlocked(FEW - 1);

        BoundedExecutor other = new BoundedExecutor(threads, FEW - 1);
        untilRun(other); // although no time passes
        assertThat(blocked).hasValue(FEW - 1);
    }

    @Test
    void userWithManyTasks_letsOthersRunBetweenThem() {
        block(threads::execute, FEW - 1); // leaves one thread
        untilBlocked(FEW - 1);
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch second = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        BoundedExecutor busy = new BoundedExecutor(threads, 1);
        BoundedExecutor other = new BoundedExecutor(threads, 1);
        busy.execute(() -> {
            Eventually.latch(second, "the other tasks");
            order.add("busy 1");
        });
        busy.execute(() -> order.add("busy 2"));
        busy.execute(done::countDown);
        other.execute(() -> order.add("other"));
        second.countDown();
        Eventually.latch(done, "all tasks");

        assertThat(order).containsExactly("busy 1", "other", "busy 2");
    }

    @Test
    void taskThatThrows_endsNeitherTheOtherTasksNorTheShare() {
        BoundedExecutor executor = new BoundedExecutor(threads, 1);
        for (int i = 0; i < 3 * MAX; i++) {
            executor.execute(() -> {
                Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> {});
                throw new IllegalStateException("a task of the test");
            });
            threads.execute(() -> {
                Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> {});
                throw new IllegalStateException("a task of the test");
            });
        }
        untilRun(executor);
        block(threads::execute, FEW);
        untilBlocked(FEW);
    }

    private static void fail() {
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> {
            throw new IllegalStateException("a handler of the test");
        });
        throw new AssertionError("a task of the test");
    }

    @Test
    void taskThatThrows_needsNoOtherThread() {
        AtomicInteger left = new AtomicInteger(1);
        SharedThreads one = new SharedThreads(task -> startIf(left.getAndDecrement() > 0, task), 1, 1, scheduler);
        CountDownLatch queued = new CountDownLatch(1);
        one.execute(() -> {
            Eventually.latch(queued, "the other task");
            fail();
        });
        CountDownLatch done = new CountDownLatch(1);
        one.execute(done::countDown);
        queued.countDown();
        Eventually.latch(done, "the other task");
    }

    @Test
    void taskOfAUserThatThrows_needsNoOtherThread() {
        AtomicInteger left = new AtomicInteger(1);
        SharedThreads one = new SharedThreads(task -> startIf(left.getAndDecrement() > 0, task), FEW, MAX, scheduler);
        BoundedExecutor executor = new BoundedExecutor(one, 1);
        CountDownLatch queued = new CountDownLatch(1);
        executor.execute(() -> {
            Eventually.latch(queued, "the other task");
            fail();
        });
        CountDownLatch done = new CountDownLatch(1);
        executor.execute(done::countDown);
        queued.countDown();
        Eventually.latch(done, "the other task");
    }

    private static void assertNextTaskIsNotInterrupted(Executor executor) {
        CountDownLatch queued = new CountDownLatch(1);
        executor.execute(() -> {
            Eventually.latch(queued, "the next task");
            Thread.currentThread().interrupt();
        });
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        executor.execute(() -> interrupted.complete(Thread.currentThread().isInterrupted()));
        queued.countDown();
        assertThat(Eventually.get(interrupted, "the next task")).isFalse();
    }

    @Test
    void taskThatInterruptsItsThread_doesNotInterruptTheNextTask() {
        assertNextTaskIsNotInterrupted(new SharedThreads("parley-test-", 1, 1, scheduler)::execute);
    }

    @Test
    void taskOfAUserThatInterruptsItsThread_doesNotInterruptTheNextTask() {
        assertNextTaskIsNotInterrupted(new BoundedExecutor(threads, 1));
    }

    /** The system refuses a thread for a waiting task; meanwhile the running ones end. */
    @Test
    void userThatLetsOthersRun_needsNoOtherThread() {
        Thread starter = Thread.currentThread();
        Set<Thread> started = ConcurrentHashMap.newKeySet();
        AtomicInteger left = new AtomicInteger(FEW + 1);
        SharedThreads few = new SharedThreads(
                task -> {
                    if (blocked.get() == FEW && started.size() == FEW) {
                        assertThat(Thread.currentThread()).as("the watch").isSameAs(starter);
                        release.countDown();
                        started.forEach(SharedThreadsTest::join);
                        started.clear();
                        throw new OutOfMemoryError("a test");
                    }
                    started.add(startIf(left.getAndDecrement() > 0, task));
                },
                FEW,
                MAX,
                scheduler);
        block(few::execute, FEW);
        untilBlocked(FEW);
        CountDownLatch other = new CountDownLatch(1);
        few.execute(other::countDown);
        scheduler.advance(SharedThreads.MAX_WAIT);

        BoundedExecutor executor = new BoundedExecutor(few, 1);
        CountDownLatch queued = new CountDownLatch(1);
        executor.execute(() -> Eventually.latch(queued, "the second task"));
        CountDownLatch done = new CountDownLatch(1);
        executor.execute(done::countDown);
        queued.countDown();
        Eventually.latch(done, "the second task");
        Eventually.latch(other, "the task of another user");
    }

    /** Another thread of the user runs the task while the system refuses one for it. */
    @Test
    void taskThatGotNoThread_runsOnAnotherThread() {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        AtomicInteger starts = new AtomicInteger();
        SharedThreads one = new SharedThreads(
                task -> {
                    if (starts.incrementAndGet() == 2) {
                        first.countDown();
                        Eventually.latch(second, "the second task");
                        throw new InternalError("a test");
                    }
                    startIf(true, task);
                },
                FEW,
                MAX,
                scheduler);
        BoundedExecutor executor = new BoundedExecutor(one, 2);
        executor.execute(() -> Eventually.latch(first, "the second start"));
        executor.execute(second::countDown);
        untilRun(executor);
        assertThat(starts).as("threads").hasValueGreaterThan(1);
    }

    /** Returns an executor with one thread, which the system refuses so many times. The task is queued meanwhile. */
    private BoundedExecutor refused(int times, Runnable task) {
        List<Runnable> queued = new ArrayList<>();
        AtomicInteger starts = new AtomicInteger();
        SharedThreads refusing = new SharedThreads(
                started -> {
                    if (starts.incrementAndGet() <= times) {
                        queued.forEach(Runnable::run);
                        queued.clear();
                        throw new InternalError("a test");
                    }
                    startIf(true, started);
                },
                FEW,
                MAX,
                scheduler);
        BoundedExecutor executor = new BoundedExecutor(refusing, 1);
        queued.add(() -> executor.execute(task));
        return executor;
    }

    @Test
    void taskThatGotNoThread_runsLater_beforeTheOneBehindIt() {
        CountDownLatch done = new CountDownLatch(1);
        BoundedExecutor executor = refused(1, done::countDown);
        AtomicLong runsBefore = new AtomicLong();
        executor.execute(() -> runsBefore.addAndGet(done.getCount()));
        scheduler.advance(SharedThreads.MAX_WAIT);
        Eventually.latch(done, "the queued task");
        untilRun(executor);
        assertThat(runsBefore).as("runs before the other task").hasValue(1);
    }

    @Test
    void missingThreads_areLoggedOnce() {
        CountDownLatch done = new CountDownLatch(1);
        BoundedExecutor executor = refused(100, done::countDown);
        try (CapturedLog log = new CapturedLog()) {
            executor.execute(() -> {});
            for (int i = 0; i < 100; i++) {
                scheduler.advance(SharedThreads.MAX_WAIT);
            }
            Eventually.latch(done, "the queued task");
            assertThat(log.lines("WARN")).hasSize(1);
        }
        untilRun(executor);
    }

    private static Thread startIf(boolean possible, Runnable task) {
        if (!possible) {
            throw new OutOfMemoryError("a test");
        }
        Thread thread = new Thread(task, "parley-test");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void join(Thread thread) {
        try {
            thread.join(Eventually.DEADLINE.toMillis());
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
        assertThat(thread.isAlive()).isFalse();
    }

    @Test
    void execute_queueFull_isRejected_untilTasksAreDone() {
        BoundedExecutor executor = new BoundedExecutor(threads, 2, 3);
        block(executor, 5);
        assertThatThrownBy(() -> executor.execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("tasks: 6 (expected: <= 5)");

        release.countDown();
        untilBlocked(5);
        Eventually.until(() -> "the queue is full", () -> accepts(executor));
    }

    private static boolean accepts(Executor executor) {
        try {
            executor.execute(() -> {});
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    @Test
    void shutdown_runsQueuedTasks_andRejectsOthers() {
        BoundedExecutor executor = new BoundedExecutor(threads, 1);
        block(executor, 3);
        executor.shutdown();
        executor.shutdown();
        assertThat(accepts(executor)).isFalse();
        release.countDown();
        untilBlocked(3);
    }
}

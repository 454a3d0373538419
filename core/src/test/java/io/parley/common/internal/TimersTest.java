package io.parley.common.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.Scheduler;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class TimersTest {

    private static final Duration DELAY = Duration.ofSeconds(10);

    private final ManualScheduler scheduler = new ManualScheduler();
    private final Queue<Throwable> failures = new ArrayDeque<>();
    private int runs;

    private Scheduler.Timer schedule() {
        Executor executor = task -> {
            Throwable failure = failures.poll();
            if (failure instanceof Error error) {
                throw error;
            } else if (failure instanceof RuntimeException exception) {
                throw exception;
            }
            task.run();
        };
        return Timers.schedule(scheduler, DELAY, executor, () -> runs++);
    }

    @Test
    void task_runsOnce() {
        schedule();
        scheduler.advance(DELAY.minusNanos(1));
        assertThat(runs).isZero();
        scheduler.advance(DELAY);
        assertThat(runs).isEqualTo(1);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void executorThatFails_isTriedAgain() {
        failures.add(new InternalError("no thread"));
        failures.add(new IllegalStateException("no thread"));
        schedule();
        scheduler.advance(DELAY);
        assertThat(runs).isZero();
        scheduler.advance(Duration.ofMinutes(1));
        assertThat(runs).isEqualTo(1);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void executorThatFails_isNotTriedAgainAfterCancel() {
        failures.add(new InternalError("no thread"));
        Scheduler.Timer timer = schedule();
        scheduler.advance(DELAY);
        timer.cancel();
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void executorThatIsShutDown_dropsTheTask() {
        failures.add(new RejectedExecutionException("shut down"));
        schedule();
        scheduler.advance(DELAY);
        assertThat(scheduler.pending()).isZero();
        assertThat(runs).isZero();
    }

    @Test
    void systemScheduler_taskThatThrows_isLogged() {
        try (CapturedLog log = new CapturedLog()) {
            Scheduler.system().schedule(Duration.ZERO, () -> {
                throw new IllegalStateException("fault of the task");
            });
            CompletableFuture<Void> next = new CompletableFuture<>();
            Scheduler.system().schedule(Duration.ofMillis(1), () -> next.complete(null));
            Eventually.get(next, "the next task");
            Eventually.until(
                    () -> "the failure of the task was not logged",
                    () -> !log.lines("fault of the task").isEmpty());
        }
    }
}

package io.parley.common.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.testkit.ManualScheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class SerialExecutorTest {

    private final List<String> done = new ArrayList<>();
    private final ManualScheduler time = new ManualScheduler();

    /** Fails once, and then runs each task at once. */
    private static Executor failingOnce(Throwable failure) {
        boolean[] failed = new boolean[1];
        return task -> {
            if (!failed[0]) {
                failed[0] = true;
                throwUnchecked(failure);
            }
            task.run();
        };
    }

    private static void throwUnchecked(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) failure;
    }

    @Test
    void executorFailsWithAnError_theTaskIsRefused_andLaterOnesRun() {
        SerialExecutor serial = new SerialExecutor(failingOnce(new OutOfMemoryError("no thread")));
        assertThatThrownBy(() -> serial.execute(() -> done.add("a"))).isInstanceOf(OutOfMemoryError.class);
        serial.execute(() -> done.add("b"));
        assertThat(done).containsExactly("b");
    }

    @Test
    void executorFailsWithAnError_tasksThatWereAddedMeanwhile_runBeforeTheNext() {
        SerialExecutor serial = new SerialExecutor(failingOnce(new OutOfMemoryError("no thread")));
        assertThat(serial.add(() -> done.add("a"))).isTrue();
        assertThat(serial.add(() -> done.add("b"))).isFalse();
        assertThatThrownBy(serial::schedule).isInstanceOf(OutOfMemoryError.class);
        serial.execute(() -> done.add("c"));
        assertThat(done).containsExactly("a", "b", "c");
    }

    @Test
    void executorRejectsTasks_theyAreDropped() {
        SerialExecutor serial = new SerialExecutor(failingOnce(new RejectedExecutionException()));
        serial.execute(() -> done.add("a"));
        serial.execute(() -> done.add("b"));
        assertThat(done).containsExactly("b");
    }

    @Test
    void retrying_fullExecutor_runsTheTasksLater_inOrder() {
        SerialExecutor serial =
                SerialExecutor.retrying(failingOnce(new RejectedExecutionException("full")), time, () -> false);
        serial.execute(() -> done.add("a"));
        serial.execute(() -> done.add("b"));
        assertThat(done).isEmpty();
        assertThat(time.pending()).isEqualTo(1);
        time.advance(SerialExecutor.RETRY_DELAY);
        assertThat(done).containsExactly("a", "b");
        serial.execute(() -> done.add("c"));
        assertThat(done).containsExactly("a", "b", "c");
        assertThat(time.pending()).isZero();
    }

    @Test
    void retrying_executorThatIsShutDown_dropsTheTasks_someTimeAfterTheEnd() {
        AtomicBoolean ended = new AtomicBoolean();
        SerialExecutor serial = SerialExecutor.retrying(
                task -> {
                    throw new RejectedExecutionException("shut down");
                },
                time,
                ended::get);
        serial.execute(() -> done.add("a"));
        time.advance(SerialExecutor.RETRY_DELAY.multipliedBy(100));
        assertThat(time.pending()).isEqualTo(1);
        ended.set(true);
        time.advance(SerialExecutor.RETRY_DELAY.multipliedBy(SerialExecutor.MAX_LAST_ATTEMPTS));
        assertThat(time.pending()).isZero();
        assertThat(done).isEmpty();
    }

    @Test
    void taskThatFails_doesNotStopTheOthers() {
        SerialExecutor serial = new SerialExecutor(Runnable::run);
        serial.execute(() -> {
            serial.execute(() -> done.add("b"));
            throw new AssertionError("a task that fails");
        });
        serial.execute(() -> done.add("c"));
        assertThat(done).containsExactly("b", "c");
    }
}

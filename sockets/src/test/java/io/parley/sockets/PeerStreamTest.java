package io.parley.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.group.PeerGroup;
import io.parley.testkit.ManualScheduler;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** The time for which a stream waits for a lost connection, in manual time, and with tasks that the test runs. */
class PeerStreamTest {

    private final ManualScheduler time = new ManualScheduler();
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Executor executor = tasks::add;
    private final PeerStream stream = new PeerStream(group(), "desk", SocketLimits.DEFAULTS);

    /** A group with nothing but time and an executor. */
    private PeerGroup group() {
        return (PeerGroup) Proxy.newProxyInstance(
                PeerGroup.class.getClassLoader(), new Class<?>[] {PeerGroup.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "scheduler":
                            return time;
                        case "workExecutor":
                            return executor;
                        default:
                            throw new UnsupportedOperationException(method.getName());
                    }
                });
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Test
    void interruption_thatIsNotResumed_endsTheStream() {
        stream.onInterrupted();
        time.advance(SocketLimits.DEFAULTS.resumeTimeout());
        runTasks();
        assertThat(stream.whenFailed()).isDone();
    }

    @Test
    void timerThatExpiresAsTheStreamIsResumed_doesNotEndTheNextInterruption() {
        stream.onInterrupted();
        time.advance(SocketLimits.DEFAULTS.resumeTimeout());
        assertThat(tasks).as("tasks of the timer").hasSize(1);
        stream.onResumed();
        stream.onInterrupted(); // before the task runs
        runTasks();
        assertThat(stream.whenFailed()).isNotDone();
        time.advance(SocketLimits.DEFAULTS.resumeTimeout());
        runTasks();
        assertThat(stream.whenFailed()).isDone();
    }

    @Test
    void timerThatExpiresAsTheStreamIsResumed_doesNotEndTheStream() {
        stream.onInterrupted();
        time.advance(SocketLimits.DEFAULTS.resumeTimeout());
        stream.onResumed();
        runTasks();
        assertThat(stream.whenFailed()).isNotDone();
        assertThat(time.pending()).isZero();
    }
}

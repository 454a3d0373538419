package io.parley.endpoint.internal.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.testkit.Eventually;
import io.parley.testkit.ThreadWatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Executors of endpoints that share threads. */
class EndpointExecutorTest {

    private static void end(EndpointExecutor executor) {
        Eventually.get(executor.shutdownGracefully(0, 1, TimeUnit.SECONDS), "ending the executor");
    }

    @Test
    void executors_shareThreads_andTheLastOneEndsThem() {
        ThreadWatch watch = new ThreadWatch();
        List<EndpointExecutor> executors = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            EndpointExecutor executor = new EndpointExecutor();
            Eventually.run(executor, () -> {});
            executors.add(executor);
        }
        assertThat(watch.started())
                .hasSizeLessThanOrEqualTo(Runtime.getRuntime().availableProcessors());
        executors.subList(1, 100).forEach(EndpointExecutorTest::end);
        assertThat(watch.started()).isNotEmpty();
        Eventually.run(executors.get(0), () -> {});
        end(executors.get(0));
        watch.untilGone();
    }

    @Test
    void shutdown_runsTheTasksAndTheirTasks_thenRejects() {
        EndpointExecutor executor = new EndpointExecutor();
        CountDownLatch shutdown = new CountDownLatch(1);
        AtomicBoolean last = new AtomicBoolean();
        executor.execute(() -> {
            Eventually.latch(shutdown, "the shutdown");
            assertThat(executor.inEventLoop()).isTrue();
            executor.execute(() -> executor.execute(() -> last.set(true)));
        });
        executor.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        assertThat(executor.isShuttingDown()).isTrue();
        assertThat(executor.isTerminated()).isFalse();
        shutdown.countDown();
        end(executor);

        assertThat(last).isTrue();
        assertThat(executor.isTerminated()).isTrue();
        assertThatThrownBy(() -> executor.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        end(executor);
    }
}

package io.parley.pipes.internal.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.pipes.SubscriptionOptions;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SubscriptionDispatcherTest {

    private final List<String> heard = new ArrayList<>();
    private final List<Integer> released = new ArrayList<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final SubscriptionQueue queue =
            new SubscriptionQueue(SubscriptionOptions.blocking(), new ManualScheduler());
    private final SubscriptionDispatcher dispatcher = new SubscriptionDispatcher(
            queue, message -> heard.add(message.text("n").orElseThrow()), this::execute, new EndpointMetrics());

    /** Fails once, if that is set. */
    private void execute(Runnable task) {
        Throwable present = failure.getAndSet(null);
        if (present instanceof Error error) {
            throw error;
        }
        if (present instanceof RuntimeException exception) {
            throw exception;
        }
        task.run();
    }

    private void receive(int number) {
        queue.add(new NumberedMessage(number, released));
        dispatcher.onAdded();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void executorThatFailsOnce_dropsAndCountsWhatWaits_andLaterMessagesAreHeard(boolean rejects) {
        Supplier<Throwable> failures =
                rejects ? RejectedExecutionException::new : () -> new OutOfMemoryError("no thread");
        receive(1);
        failure.set(failures.get());
        receive(2);
        receive(3);
        assertThat(heard).containsExactly("1", "3");
        assertThat(queue.dropped()).isOne();
        assertThat(released).containsExactly(1, 2, 3);
    }
}

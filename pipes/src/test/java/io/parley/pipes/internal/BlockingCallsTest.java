package io.parley.pipes.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.common.internal.Registration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class BlockingCallsTest {

    @Test
    void await_interrupted_cancelsTheCall() {
        CompletableFuture<Registration> call = new CompletableFuture<>();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> BlockingCalls.await(call, "test")).isInstanceOf(InterruptedException.class);
        assertThat(call).isCancelled();
    }

    @Test
    void await_interruptedWhenTheCallIsDone_closesTheResult() {
        Registration result = new Registration(() -> {});
        CompletableFuture<Registration> call = new CompletableFuture<>() {
            @Override
            public Registration get() throws InterruptedException {
                complete(result);
                throw new InterruptedException("at the same time");
            }
        };
        assertThatThrownBy(() -> BlockingCalls.await(call, "test")).isInstanceOf(InterruptedException.class);
        assertThat(result.isClosing()).isTrue();
    }
}

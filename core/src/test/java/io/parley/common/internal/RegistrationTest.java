package io.parley.common.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.testkit.Eventually;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RegistrationTest {

    @Test
    void close_whileAnotherThreadCloses_returnsAfterTheRegistrationIsUndone() throws InterruptedException {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Void> released = new CompletableFuture<>();
        Registration registration = new Registration(() -> {
            begun.complete(null);
            released.join();
        });
        Thread first = new Thread(registration::close);
        first.start();
        Eventually.get(begun, "the begin of the undoing");
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        Thread second = new Thread(() -> {
            registration.close();
            closed.complete(registration.isClosed());
        });
        second.start();
        Eventually.until(
                () -> "the second close neither waits nor returns",
                () -> second.getState() == Thread.State.WAITING || closed.isDone());
        released.complete(null);
        assertThat(Eventually.get(closed, "the second close")).isTrue();
        first.join();
    }

    @Test
    void close_byItsOwnAction_undoesOnce() {
        AtomicInteger undone = new AtomicInteger();
        Registration[] self = new Registration[1];
        self[0] = new Registration(() -> {
            undone.incrementAndGet();
            self[0].close();
        });
        self[0].close();
        assertThat(undone).hasValue(1);
        assertThat(self[0].isClosed()).isTrue();
    }
}

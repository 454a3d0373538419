package io.parley.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link AsyncCloseable}. A subclass for an implementation provides open objects and, in a test of its own,
 * an object whose close is delayed; see {@link #assertClosing}.
 */
public abstract class AsyncCloseableContractTest {

    /** Only ends a test that hangs. */
    private static final long TIMEOUT_SECONDS = Long.getLong("parley.test.soon", 20);

    /** Returns a new open object. The subclass releases everything on which the object depends after the test. */
    protected abstract AsyncCloseable open() throws Exception;

    /** Asserts that the closing has begun and is not complete. */
    protected static void assertClosing(AsyncCloseable object) {
        assertThat(object.isClosing()).as("isClosing").isTrue();
        assertThat(object.isClosed()).as("isClosed").isFalse();
        assertThat(object.whenClosed()).isNotDone();
    }

    /** Asserts that everything is released. */
    protected static void assertClosed(AsyncCloseable object) {
        assertThat(object.isClosing()).as("isClosing").isTrue();
        assertThat(object.isClosed()).as("isClosed").isTrue();
        assertThat(object.whenClosed()).isCompleted();
        assertThat(object.closeAsync()).isCompleted();
    }

    private static void await(CompletableFuture<Void> closed) throws Exception {
        closed.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void newObject_isNeitherClosingNorClosed() throws Exception {
        AsyncCloseable object = open();
        assertThat(object.isClosing()).isFalse();
        assertThat(object.isClosed()).isFalse();
        assertThat(object.whenClosed()).isNotDone();
    }

    @Test
    void close_returnsAfterEverythingIsReleased() throws Exception {
        AsyncCloseable object = open();
        object.close();
        assertClosed(object);
        object.close();
        assertClosed(object);
    }

    @Test
    void closeAsync_closesImmediatelyOrLater_andEveryFutureCompletes() throws Exception {
        AsyncCloseable object = open();
        CompletableFuture<Void> before = object.whenClosed();
        CompletableFuture<Void> first = object.closeAsync();
        assertThat(object.isClosing()).isTrue();
        CompletableFuture<Void> second = object.closeAsync();
        await(first);
        await(second);
        await(before);
        assertClosed(object);
    }

    @Test
    void futures_areCopies() throws Exception {
        AsyncCloseable object = open();
        assertThat(object.whenClosed().complete(null)).isTrue();
        assertThat(object.whenClosed().cancel(false)).isTrue();
        assertThat(object.whenClosed().completeExceptionally(new CancellationException()))
                .isTrue();
        assertThat(object.isClosing()).isFalse();
        assertThat(object.isClosed()).isFalse();
        CompletableFuture<Void> closed = object.whenClosed();
        object.closeAsync().cancel(false);
        await(closed);
        await(object.closeAsync());
        assertClosed(object);
    }

    @Test
    void close_fromSeveralThreads_returnsToEachAfterTheRelease() throws Exception {
        AsyncCloseable object = open();
        List<CompletableFuture<Void>> closers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            closers.add(CompletableFuture.runAsync(() -> {
                object.close();
                assertClosed(object);
            }));
        }
        for (CompletableFuture<Void> closer : closers) {
            await(closer);
        }
    }

    @Test
    void close_onAnInterruptedThread_waits_andKeepsTheInterruptStatus() throws Exception {
        AsyncCloseable object = open();
        Thread.currentThread().interrupt();
        object.close();
        assertThat(Thread.interrupted()).isTrue();
        assertClosed(object);
    }
}

package io.parley.examples.console;

import io.parley.common.AsyncCloseable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Signals the end of the process to a command that runs until it is interrupted (Ctrl-C, or kill without -9), so that the
 * command can notify other peers before the process ends.
 */
public final class ShutdownSignal implements AutoCloseable {

    /** The maximum time for an orderly end: twice the close timeout of a peer, because a worker and its peer end one after the other. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private static volatile boolean closing;

    private final CompletableFuture<Void> requested = new CompletableFuture<>();
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook = new Thread(this::end, "end");

    private ShutdownSignal() {}

    /** Registers a shutdown hook. The caller must close the result after its last action; the process waits for that. */
    public static ShutdownSignal start() {
        ShutdownSignal signal = new ShutdownSignal();
        Runtime.getRuntime().addShutdownHook(signal.hook);
        return signal;
    }

    /**
     * Closes a peer when the process is interrupted, because the other peers wait for the return of a peer that has ended without a GOODBYE. For
     * commands that do not wait for {@link #whenRequested()}.
     *
     * @return the peer
     */
    public static <T extends AsyncCloseable> T closing(T peer) {
        ShutdownSignal signal = start();
        signal.requested.thenRun(() -> {
            closing = true;
            peer.closeAsync();
        });
        peer.whenClosed().whenComplete((closed, failure) -> signal.close());
        return peer;
    }

    /** Returns whether the interruption of the process has closed a peer, which makes its command fail. */
    public static boolean isClosing() {
        return closing;
    }

    private void end() {
        requested.complete(null);
        try {
            if (!done.await(CLOSE_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)) {
                System.err.println("The command did not end in time; other peers may not have been notified.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns a future that completes when the process has been interrupted. */
    public CompletableFuture<Void> whenRequested() {
        return requested.copy();
    }

    @Override
    public void close() {
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending already, and the hook returns immediately.
        }
    }
}

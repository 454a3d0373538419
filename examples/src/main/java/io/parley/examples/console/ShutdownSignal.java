package io.parley.examples.console;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * For commands that run until somebody ends them: an interrupt (Ctrl-C, or kill without -9) lets them take their leave of
 * the others before the process ends.
 */
public final class ShutdownSignal implements AutoCloseable {

    /** How long the process may take for it. */
    private static final Duration FAREWELL = Duration.ofSeconds(5);

    private final CompletableFuture<Void> asked = new CompletableFuture<>();
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook = new Thread(this::end, "end");

    private ShutdownSignal() {}

    /** Begins to watch out for it. To be closed when nothing is left to do: the process waits for that. */
    public static ShutdownSignal start() {
        ShutdownSignal ended = new ShutdownSignal();
        Runtime.getRuntime().addShutdownHook(ended.hook);
        return ended;
    }

    private void end() {
        asked.complete(null);
        try {
            if (!done.await(FAREWELL.toNanos(), TimeUnit.NANOSECONDS)) {
                System.err.println("There was no time to take leave of everybody.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Completes when the process is asked to end. */
    public CompletableFuture<Void> asked() {
        return asked.copy();
    }

    @Override
    public void close() {
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is about to end, and the hook finds that all is done.
        }
    }
}

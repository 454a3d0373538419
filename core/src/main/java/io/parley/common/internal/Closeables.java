package io.parley.common.internal;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.common.AsyncCloseable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** For implementations of {@link AsyncCloseable#close()}: closes, and waits as that method promises. */
public final class Closeables {

    private Closeables() {}

    /**
     * Closes and waits until all is released or the time is up. On a thread that serves connections it does not wait, as
     * that may be the one to do the work.
     */
    public static void closeAndAwait(AsyncCloseable closing, Duration atMost) {
        closing.closeAsync();
        if (!(Thread.currentThread() instanceof FastThreadLocalThread)) {
            closing.whenClosed()
                    .copy()
                    .completeOnTimeout(null, atMost.toNanos(), TimeUnit.NANOSECONDS)
                    .join();
        }
    }
}

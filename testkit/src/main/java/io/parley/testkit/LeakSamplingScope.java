package io.parley.testkit;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Restricts {@link LeakCheck} to samples while it is open. To track all would take most of the time of a test with millions of
 * buffers.
 */
public final class LeakSamplingScope implements AutoCloseable {

    private final AtomicBoolean closed = new AtomicBoolean();

    /** Starts sampling. */
    public LeakSamplingScope() {
        LeakCheck.startSampling();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            LeakCheck.stopSampling();
        }
    }
}

package io.parley.testkit;

import io.netty.util.ResourceLeakDetector;

/**
 * Restricts {@link LeakCheck} to samples without access records while it is open. Complete records would take most of the time of
 * a test with millions of buffers.
 */
public final class LeakSamplingScope implements AutoCloseable {

    private final ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();

    /** Starts sampling. */
    public LeakSamplingScope() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
    }

    @Override
    public void close() {
        ResourceLeakDetector.setLevel(before);
    }
}

package io.parley.testkit;

import io.netty.util.ResourceLeakDetector;

/**
 * A scope in which {@link LeakCheck} tracks only a sample of the buffers and no access records. Tests with millions of
 * buffers would otherwise spend most of their time in leak detection.
 */
public final class LeakSamplingScope implements AutoCloseable {

    private final ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();

    /** Starts the scope. */
    public LeakSamplingScope() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
    }

    @Override
    public void close() {
        ResourceLeakDetector.setLevel(before);
    }
}

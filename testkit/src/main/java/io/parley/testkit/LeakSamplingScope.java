package io.parley.testkit;

import io.netty.util.ResourceLeakDetector;

/**
 * While it is open {@link LeakCheck} watches only some of the buffers, and keeps no history of them, which would take most of
 * the time of a test that has millions.
 */
public final class LeakSamplingScope implements AutoCloseable {

    private final ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();

    /** Begins. */
    public LeakSamplingScope() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
    }

    @Override
    public void close() {
        ResourceLeakDetector.setLevel(before);
    }
}

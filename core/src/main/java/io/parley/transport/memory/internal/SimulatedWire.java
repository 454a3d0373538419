package io.parley.transport.memory.internal;

import java.time.Duration;

/** What lies between the two ends of a connection. Safe from any thread. */
final class SimulatedWire {

    private final long delayNanos;
    private volatile boolean cut;

    /** @param delay how long what one end says takes to the other */
    SimulatedWire(Duration delay) {
        this.delayNanos = delay.toNanos();
    }

    long delayNanos() {
        return delayNanos;
    }

    /** From now on nothing gets through in either direction, not even that an end has closed. */
    void cut() {
        cut = true;
    }

    boolean isCut() {
        return cut;
    }
}

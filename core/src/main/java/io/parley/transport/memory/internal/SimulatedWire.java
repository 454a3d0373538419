package io.parley.transport.memory.internal;

import io.parley.common.Scheduler;
import java.time.Duration;

/** The simulated network between the two ends of a connection. Thread-safe. */
final class SimulatedWire {

    private final long delayNanos;
    private final Scheduler scheduler;
    private volatile boolean cut;

    /** @param delay the delay from one end to the other */
    SimulatedWire(Duration delay, Scheduler scheduler) {
        this.delayNanos = delay.toNanos();
        this.scheduler = scheduler;
    }

    boolean hasDelay() {
        return delayNanos > 0;
    }

    /** Returns the arrival time of an item that is sent now, in nanoseconds of {@link Scheduler#nanoTime()}. */
    long arrivalNanos() {
        return scheduler.nanoTime() + delayNanos;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    /** Drops everything that is sent after this in either direction, including the close of an end. */
    void cut() {
        cut = true;
    }

    boolean isCut() {
        return cut;
    }
}

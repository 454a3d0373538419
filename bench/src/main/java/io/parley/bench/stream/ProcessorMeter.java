package io.parley.bench.stream;

import java.util.function.LongSupplier;

/**
 * Measures the processor time of this process during the blocks of an exchange, without that for the content of the blocks and for
 * checksums. The thread of the exchange starts and stops the meter, another one can read it afterwards. It has no meaning when exchanges
 * overlap.
 */
public final class ProcessorMeter {

    private final LongSupplier clock;
    private long startNanos;
    private volatile long nanos;

    /**
     * Creates a meter.
     *
     * @param clock returns the processor time of this process so far, in nanoseconds
     */
    public ProcessorMeter(LongSupplier clock) {
        this.clock = clock;
    }

    void start() {
        startNanos = clock.getAsLong();
    }

    void stop() {
        nanos = clock.getAsLong() - startNanos;
    }

    /** Returns the processor time of the last exchange in nanoseconds. */
    public long nanos() {
        return nanos;
    }
}

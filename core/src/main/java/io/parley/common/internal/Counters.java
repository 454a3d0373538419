package io.parley.common.internal;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/**
 * One counter for each constant of an enum. Counters start at zero and only grow. Thread-safe.
 *
 * @param <C> the enum of counters
 */
public final class Counters<C extends Enum<C>> {

    /** By ordinal. */
    private final LongAdder[] adders;

    /** Creates the counters, with the value zero. */
    public Counters(Class<C> type) {
        adders = new LongAdder[type.getEnumConstants().length];
        Arrays.setAll(adders, ordinal -> new LongAdder());
    }

    /** Returns the current value. */
    public long get(C counter) {
        return adder(counter).sum();
    }

    /** Adds {@code count} to a counter. */
    public void add(C counter, long count) {
        adder(counter).add(count);
    }

    private LongAdder adder(C counter) {
        return adders[counter.ordinal()];
    }
}

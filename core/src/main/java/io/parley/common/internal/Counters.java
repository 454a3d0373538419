package io.parley.common.internal;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * One counter for each constant of an enum. Counters start at zero and only grow. Thread-safe.
 *
 * @param <C> the enum of counters
 */
public final class Counters<C extends Enum<C>> {

    private final Map<C, LongAdder> adders;

    /** Creates the counters, with the value zero. */
    public Counters(Class<C> type) {
        adders = new EnumMap<>(type);
        for (C counter : type.getEnumConstants()) {
            adders.put(counter, new LongAdder());
        }
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
        return Objects.requireNonNull(adders.get(counter));
    }
}

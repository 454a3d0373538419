package io.parley.common.internal;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * One counter for each constant of an enum; all begin at zero and only grow. Safe from any thread.
 *
 * @param <C> what is counted
 */
public final class Counters<C extends Enum<C>> {

    private final Map<C, LongAdder> adders;

    /** All at zero. */
    public Counters(Class<C> counted) {
        adders = new EnumMap<>(counted);
        for (C counter : counted.getEnumConstants()) {
            adders.put(counter, new LongAdder());
        }
    }

    /** The count so far. */
    public long get(C counter) {
        return adder(counter).sum();
    }

    /** Counts so many more. */
    public void add(C counter, long count) {
        adder(counter).add(count);
    }

    private LongAdder adder(C counter) {
        return Objects.requireNonNull(adders.get(counter));
    }
}

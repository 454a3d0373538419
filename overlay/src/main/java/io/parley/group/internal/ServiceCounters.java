package io.parley.group.internal;

import io.parley.group.CounterProvider;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ObjLongConsumer;

/**
 * The counters that services above the overlay have declared, for all groups of one peer together, those that were left included.
 * Thread-safe.
 */
public final class ServiceCounters {

    private final Map<Enum<?>, LongAdder> adders = new HashMap<>(); // not changed after the constructor

    /** @throws IllegalStateException if two providers declare the same name */
    public ServiceCounters(Iterable<? extends CounterProvider> providers) {
        Map<String, Enum<?>> byName = new HashMap<>();
        for (CounterProvider provider : providers) {
            for (Enum<?> counter : provider.counters().getEnumConstants()) {
                Enum<?> other = byName.put(counter.name(), counter);
                if (other != null) {
                    throw new IllegalStateException("counter " + counter + ": declared by " + other.getDeclaringClass()
                            + " and " + counter.getDeclaringClass() + " (expected: by one)");
                }
                adders.put(counter, new LongAdder());
            }
        }
    }

    /**
     * Returns the counters of all providers on the class path, with the value zero.
     *
     * @throws IllegalStateException if a provider cannot be loaded, or two declare the same name
     */
    public static ServiceCounters installed() {
        try {
            return new ServiceCounters(
                    ServiceLoader.load(CounterProvider.class, ServiceCounters.class.getClassLoader()));
        } catch (ServiceConfigurationError e) {
            throw new IllegalStateException("counter provider: cannot be loaded from the class path: " + e, e);
        }
    }

    /** Implements {@link io.parley.group.PeerGroup#count}. */
    void add(Enum<?> counter, long amount) {
        LongAdder adder = adders.get(counter);
        if (adder == null) {
            throw new IllegalArgumentException("counter: " + counter + " of " + counter.getDeclaringClass()
                    + " (expected: one that a CounterProvider declares)");
        }
        adder.add(amount);
    }

    /** Passes each counter with its current value. */
    public void forEach(ObjLongConsumer<Enum<?>> consumer) {
        adders.forEach((counter, adder) -> consumer.accept(counter, adder.sum()));
    }
}

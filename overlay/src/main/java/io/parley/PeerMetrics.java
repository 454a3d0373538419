package io.parley;

import io.parley.discovery.internal.DiscoveryMetrics;
import io.parley.group.internal.ServiceCounters;
import io.parley.rendezvous.internal.RendezvousMetrics;
import io.parley.resolver.internal.ResolverMetrics;
import io.parley.store.internal.StoreMetrics;
import io.parley.transport.EndpointMetrics;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Reads the counters of all layers of one peer. The name of a counter is {@code parley}, its layer and the words of its enum
 * constant, in lower case, separated by dots; counters of services above the overlay have no layer in their names. The counters of a
 * layer that each group has count for all groups together, those that were left included. Thread-safe.
 */
final class PeerMetrics {

    private final EndpointMetrics endpoint;
    private final ResolverMetrics resolver;
    private final DiscoveryMetrics discovery;
    private final RendezvousMetrics rendezvous;
    private final Supplier<StoreMetrics> store;
    private final ServiceCounters services;

    /** @param store returns the counters of the store, without waiting for it */
    PeerMetrics(
            EndpointMetrics endpoint,
            ResolverMetrics resolver,
            DiscoveryMetrics discovery,
            RendezvousMetrics rendezvous,
            Supplier<StoreMetrics> store,
            ServiceCounters services) {
        this.endpoint = endpoint;
        this.resolver = resolver;
        this.discovery = discovery;
        this.rendezvous = rendezvous;
        this.store = store;
        this.services = services;
    }

    /** Returns the counts by name, in the order of the names. Unmodifiable. */
    SortedMap<String, Long> snapshot() {
        SortedMap<String, Long> counts = new TreeMap<>();
        add(counts, "endpoint", EndpointMetrics.Counter.values(), endpoint::get);
        add(counts, "resolver", ResolverMetrics.Counter.values(), resolver::get);
        add(counts, "discovery", DiscoveryMetrics.Counter.values(), discovery::get);
        add(counts, "rendezvous", RendezvousMetrics.Counter.values(), rendezvous::get);
        add(counts, "store", StoreMetrics.Counter.values(), store.get()::get);
        services.forEach((counter, count) -> counts.put("parley." + words(counter), count));
        return Collections.unmodifiableSortedMap(counts);
    }

    private static <C extends Enum<C>> void add(
            Map<String, Long> counts, String layer, C[] counters, ToLongFunction<C> reader) {
        for (C counter : counters) {
            counts.put("parley." + layer + "." + words(counter), reader.applyAsLong(counter));
        }
    }

    private static String words(Enum<?> counter) {
        return counter.name().toLowerCase(Locale.ROOT).replace('_', '.');
    }
}

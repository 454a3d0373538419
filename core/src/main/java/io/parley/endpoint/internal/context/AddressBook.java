package io.parley.endpoint.internal.context;

import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The known addresses of peers. If it is full, evicts the least recently used peer that is not in use, so that newcomers, whose
 * number is not limited, do not replace the peers of this peer's own work. Thread-safe.
 */
public final class AddressBook {

    /** The number of peers in use that are passed over. Bounds the work of an eviction. */
    private static final int MAX_PASSED_OVER = 16;

    private final int capacity;
    private final Predicate<PeerId> inUse;

    /** In the order of the last use. */
    private final Map<PeerId, List<EndpointAddress>> entries = new LinkedHashMap<>(16, 0.75f, true);

    /** @param inUse whether a peer is in use now; called with the lock of this object */
    public AddressBook(int capacity, Predicate<PeerId> inUse) {
        this.capacity = capacity;
        this.inUse = inUse;
    }

    /**
     * Adds addresses in front of the known ones.
     *
     * @return whether one of the addresses was unknown
     */
    public synchronized boolean add(PeerAddress address) {
        List<EndpointAddress> known = entries.getOrDefault(address.peer(), List.of());
        Set<EndpointAddress> merged = new LinkedHashSet<>(address.addresses());
        merged.addAll(known);
        if (!merged.isEmpty()) {
            entries.put(
                    address.peer(),
                    merged.stream().limit(PeerAddress.MAX_ADDRESSES).toList());
        }
        if (entries.size() > capacity) {
            evict();
        }
        return !known.containsAll(address.addresses());
    }

    private void evict() {
        for (int i = 0; i < MAX_PASSED_OVER; i++) {
            PeerId eldest = entries.keySet().iterator().next();
            if (!inUse.test(eldest)) {
                entries.remove(eldest);
                return;
            }
            entries.get(eldest); // used last
        }
        Iterator<PeerId> peers = entries.keySet().iterator();
        peers.next();
        peers.remove();
    }

    public synchronized List<EndpointAddress> find(PeerId peer) {
        return entries.getOrDefault(peer, List.of());
    }
}

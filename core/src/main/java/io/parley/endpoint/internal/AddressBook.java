package io.parley.endpoint.internal;

import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The known addresses of peers. Evicts the least recently used peer if it is full. Thread-safe. */
final class AddressBook {

    private final int capacity;

    private final Map<PeerId, List<EndpointAddress>> entries = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<PeerId, List<EndpointAddress>> eldest) {
            return size() > capacity;
        }
    };

    AddressBook(int capacity) {
        this.capacity = capacity;
    }

    /**
     * Adds addresses in front of the known ones.
     *
     * @return whether one of the addresses was unknown
     */
    synchronized boolean add(PeerAddress address) {
        List<EndpointAddress> known = entries.getOrDefault(address.peer(), List.of());
        Set<EndpointAddress> merged = new LinkedHashSet<>(address.addresses());
        merged.addAll(known);
        if (!merged.isEmpty()) {
            entries.put(
                    address.peer(),
                    merged.stream().limit(PeerAddress.MAX_ADDRESSES).toList());
        }
        return !known.containsAll(address.addresses());
    }

    synchronized List<EndpointAddress> find(PeerId peer) {
        return entries.getOrDefault(peer, List.of());
    }
}

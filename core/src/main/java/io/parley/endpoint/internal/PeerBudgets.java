package io.parley.endpoint.internal;

import io.parley.endpoint.EndpointLimits;
import io.parley.id.PeerId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The memory that each remote peer may reserve. The budget of a peer exists while the peer has a link or unreleased
 * messages, so a peer gets no more memory by reconnecting. Thread-safe.
 */
final class PeerBudgets {

    private static final class Entry {
        private final MemoryBudget budget;
        private int links;

        private Entry(MemoryBudget budget) {
            this.budget = budget;
        }
    }

    private final MemoryBudget total;
    private final long peerBytes;
    private final ConcurrentMap<PeerId, Entry> entries = new ConcurrentHashMap<>();

    PeerBudgets(EndpointLimits limits) {
        this.total = new MemoryBudget("totalMemoryBytes", limits.totalMemoryBytes(), null);
        this.peerBytes = limits.peerMemoryBytes();
    }

    /** Returns the budget of all peers together. */
    MemoryBudget total() {
        return total;
    }

    /** Returns the budget of a peer for one more link. The caller must {@link #release} it. */
    MemoryBudget acquire(PeerId peer) {
        return entries.compute(peer, (id, known) -> {
                    Entry entry =
                            known == null ? new Entry(new MemoryBudget("peerMemoryBytes", peerBytes, total)) : known;
                    entry.links++;
                    return entry;
                })
                .budget;
    }

    /** Releases the budget of one link to a peer. */
    void release(PeerId peer) {
        entries.computeIfPresent(peer, (id, entry) -> {
            entry.links--;
            return entry;
        });
        entries.keySet()
                .forEach(known -> entries.computeIfPresent(
                        known, (id, entry) -> entry.links == 0 && entry.budget.used() == 0 ? null : entry));
    }
}

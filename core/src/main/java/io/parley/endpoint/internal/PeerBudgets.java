package io.parley.endpoint.internal;

import io.parley.id.PeerId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The memory that each other peer may claim. A budget lives while its peer has a link, and after that while messages of
 * the peer are held: so connecting again gives a peer no more. Safe from any thread.
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
    private final long perPeer;
    private final ConcurrentMap<PeerId, Entry> entries = new ConcurrentHashMap<>();

    PeerBudgets(MemoryBudget total, long perPeer) {
        this.total = total;
        this.perPeer = perPeer;
    }

    /** What all peers together claim. */
    MemoryBudget total() {
        return total;
    }

    /** The budget for one more link to that peer. */
    MemoryBudget open(PeerId peer) {
        return entries.compute(peer, (id, known) -> {
                    Entry entry = known == null ? new Entry(new MemoryBudget(total, perPeer)) : known;
                    entry.links++;
                    return entry;
                })
                .budget;
    }

    /** One link to that peer less. */
    void close(PeerId peer) {
        entries.computeIfPresent(peer, (id, entry) -> {
            entry.links--;
            return entry;
        });
        entries.keySet()
                .forEach(known -> entries.computeIfPresent(
                        known, (id, entry) -> entry.links == 0 && entry.budget.used() == 0 ? null : entry));
    }
}

package io.parley.pipes;

import io.parley.id.PeerId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The publishers that a subscription has removed last. One that does not know that yet still sends messages, which the subscription
 * misses; those of peers that have never been publishers are not counted. Thread-safe.
 */
final class FormerPublishers {

    private final Map<PeerId, Long> peers;
    private final AtomicLong messages = new AtomicLong();

    /** @param maxPeers the number of publishers, of which the oldest one gives way */
    FormerPublishers(int maxPeers) {
        this.peers = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<PeerId, Long> eldest) {
                return size() > maxPeers;
            }
        };
    }

    /** @param missed the number of messages that the publisher has dropped so far, by its last report */
    synchronized void add(PeerId publisher, long missed) {
        peers.put(publisher, missed);
    }

    /** Removes a publisher at which the subscription subscribes again. Returns what it has dropped so far: it continues to count. */
    synchronized long remove(PeerId publisher) {
        Long missed = peers.remove(publisher);
        return missed == null ? 0 : missed;
    }

    private synchronized boolean contains(PeerId peer) {
        return peers.containsKey(peer);
    }

    /** Counts a message of a peer that is no publisher now, if it was one. */
    void onMessage(PeerId from) {
        if (contains(from)) {
            messages.incrementAndGet();
        }
    }

    /** Returns the number of messages that publishers have sent after they were removed. */
    long messages() {
        return messages.get();
    }
}

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

    private final Map<PeerId, Boolean> peers;
    private final AtomicLong messages = new AtomicLong();

    /** @param maxPeers the number of publishers, of which the oldest one gives way */
    FormerPublishers(int maxPeers) {
        this.peers = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<PeerId, Boolean> eldest) {
                return size() > maxPeers;
            }
        };
    }

    synchronized void add(PeerId publisher) {
        peers.put(publisher, true);
    }

    /** Removes a publisher at which the subscription subscribes again. */
    synchronized void remove(PeerId publisher) {
        peers.remove(publisher);
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

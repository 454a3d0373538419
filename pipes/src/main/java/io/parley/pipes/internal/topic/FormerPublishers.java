package io.parley.pipes.internal.topic;

import io.parley.id.PeerId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The publishers that a subscription has removed last. One that does not know that yet still sends messages, which the subscription
 * misses; those of peers that have never been publishers are not counted. Thread-safe.
 */
final class FormerPublishers {

    /**
     * A publisher that was removed.
     *
     * @param missed the number of messages that it has dropped so far, by its last report
     * @param closed whether it has closed
     */
    private record Former(long missed, boolean closed) {}

    private final Map<PeerId, Former> peers;
    private final AtomicLong messages = new AtomicLong();

    /** @param maxPeers the number of publishers, of which the oldest one gives way */
    FormerPublishers(int maxPeers) {
        this.peers = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<PeerId, Former> eldest) {
                return size() > maxPeers;
            }
        };
    }

    /**
     * Adds a publisher.
     *
     * @param missed the number of messages that the publisher has dropped so far, by its last report
     * @param closed whether it has closed
     */
    synchronized void add(PeerId publisher, long missed, boolean closed) {
        peers.put(publisher, new Former(missed, closed));
    }

    /**
     * Removes a publisher at which the subscription subscribes again. Returns what it has dropped so far: it continues to count, unless it
     * has closed, so that this is another publisher of that peer.
     */
    synchronized long remove(PeerId publisher) {
        Former removed = peers.remove(publisher);
        return removed == null || removed.closed() ? 0 : removed.missed();
    }

    /** Returns whether a peer was a publisher that has closed. */
    synchronized boolean hasClosed(PeerId peer) {
        Former former = peers.get(peer);
        return former != null && former.closed();
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

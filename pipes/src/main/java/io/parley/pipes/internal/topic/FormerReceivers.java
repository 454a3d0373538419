package io.parley.pipes.internal.topic;

import io.parley.id.PeerId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The numbers of messages dropped for the receivers that a publisher has removed last. A subscriber that is lost for a moment returns
 * with the same subscription, and the number that it knows must not begin again. Used by one thread at a time.
 */
final class FormerReceivers {

    private record Drops(long subscription, long count) {}

    private final Map<PeerId, Drops> drops;

    /** @param maxReceivers the number of receivers, of which the oldest one gives way */
    FormerReceivers(int maxReceivers) {
        this.drops = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<PeerId, Drops> eldest) {
                return size() > maxReceivers;
            }
        };
    }

    void add(TopicReceiver receiver) {
        if (receiver.totalDrops() > 0) {
            drops.put(receiver.peer(), new Drops(receiver.subscription(), receiver.totalDrops()));
        }
    }

    /** Removes a peer that subscribes. Returns what was dropped for the same subscription before. */
    long remove(PeerId peer, long subscription) {
        Drops earlier = drops.remove(peer);
        return earlier == null || earlier.subscription() != subscription ? 0 : earlier.count();
    }
}

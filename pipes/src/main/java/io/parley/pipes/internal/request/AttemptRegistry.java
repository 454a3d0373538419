package io.parley.pipes.internal.request;

import io.parley.endpoint.Messenger;
import io.parley.id.PeerId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The peers to which attempts that have not ended were delivered, and the messengers of the others. Any peer may connect and disconnect
 * as often as it likes, so only the events of these peers are worth a look at the requests. Thread-safe.
 */
final class AttemptRegistry {

    /** The numbers of attempts that are not acknowledged. By messenger, because until then the peer of a messenger may change. */
    private final ConcurrentMap<Messenger, Integer> unacknowledged = new ConcurrentHashMap<>();

    /** The numbers of acknowledged attempts. */
    private final ConcurrentMap<PeerId, Integer> delivered = new ConcurrentHashMap<>();

    /** Adds an attempt that is not acknowledged. */
    void add(Messenger messenger) {
        unacknowledged.merge(messenger, 1, Integer::sum);
    }

    /** Called when a peer has acknowledged an attempt. */
    void acknowledge(Messenger messenger, PeerId by) {
        delivered.merge(by, 1, Integer::sum); // first, so that no event is missed
        remove(messenger);
    }

    /** Removes an attempt that was not acknowledged. */
    void remove(Messenger messenger) {
        subtract(unacknowledged, messenger);
    }

    /** Removes an attempt that the peer has acknowledged. */
    void remove(PeerId peer) {
        subtract(delivered, peer);
    }

    private static <K> void subtract(ConcurrentMap<K, Integer> counts, K key) {
        counts.computeIfPresent(key, (same, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }

    /** Returns whether an attempt was delivered to the peer, or its messenger sends to it now. Looks at no attempt. */
    boolean hasAttempts(PeerId peer) {
        return delivered.containsKey(peer)
                || unacknowledged.keySet().stream()
                        .anyMatch(messenger -> messenger.peer().equals(peer));
    }
}

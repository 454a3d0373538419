package io.parley.pipes.internal.bidirectional;

import io.parley.common.internal.HostShares;
import io.parley.id.PeerId;
import java.util.HashMap;
import java.util.Map;

/**
 * Limits what remote peers hold: per peer, and in total with shares of the hosts, because identities cost nothing. A host that is alone
 * leaves a fifth to others, because no pipe ends for that of another host. Thread-safe.
 */
final class PipeSlots {

    /** The number of hosts for which there are shares at least. */
    private static final int MIN_HOSTS = 2;

    private final int maxPerPeer;
    private final HostShares total;
    private final Map<PeerId, Integer> byPeer = new HashMap<>();

    PipeSlots(int max, int maxPerPeer) {
        this.maxPerPeer = maxPerPeer;
        this.total = new HostShares(max, MIN_HOSTS);
    }

    /** @param host the prefix of the address of the peer */
    synchronized boolean tryAcquire(PeerId peer, String host) {
        int used = byPeer.getOrDefault(peer, 0);
        if (used >= maxPerPeer || !total.tryAcquire(host, 1)) {
            return false;
        }
        byPeer.put(peer, used + 1);
        return true;
    }

    synchronized void release(PeerId peer, String host) {
        byPeer.computeIfPresent(peer, (same, used) -> used == 1 ? null : Integer.valueOf(used - 1));
        total.release(host, 1);
    }
}

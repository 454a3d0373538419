package io.parley.resolver;

import io.parley.id.PeerId;
import java.util.HashMap;
import java.util.Map;

/** How many questions of others are worked on, and how much memory they take. Thread-safe. */
final class ConcurrencyLimiter {

    /** One peer gets so much of the whole. */
    private static final int PEER_SHARE = 4;

    private record Usage(int count, long bytes) {

        private static final Usage NONE = new Usage(0, 0);

        private Usage plus(int moreCount, long moreBytes) {
            return new Usage(count + moreCount, bytes + moreBytes);
        }

        private boolean isWithin(int maxCount, long maxBytes) {
            return count <= maxCount && bytes <= maxBytes;
        }
    }

    private final int maxCount;
    private final long maxBytes;
    private final Map<PeerId, Usage> byPeer = new HashMap<>();
    private Usage all = Usage.NONE;

    ConcurrencyLimiter(int maxCount, long maxBytes) {
        this.maxCount = maxCount;
        this.maxBytes = maxBytes;
    }

    synchronized boolean tryTake(PeerId peer, long bytes) {
        Usage peers = byPeer.getOrDefault(peer, Usage.NONE).plus(1, bytes);
        Usage together = all.plus(1, bytes);
        if (!peers.isWithin(maxCount / PEER_SHARE, maxBytes / PEER_SHARE) || !together.isWithin(maxCount, maxBytes)) {
            return false;
        }
        byPeer.put(peer, peers);
        all = together;
        return true;
    }

    synchronized void giveBack(PeerId peer, long bytes) {
        byPeer.computeIfPresent(peer, (id, use) -> use.count() == 1 ? null : use.plus(-1, -bytes));
        all = all.plus(-1, -bytes);
    }

    synchronized int inUse() {
        return all.count();
    }
}

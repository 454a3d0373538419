package io.parley.resolver;

import io.parley.id.PeerId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often each peer may do something, and all together. It forgets the peer that was quiet for longest when it knows too
 * many; who makes up identities to be forgotten meets the bound on all together.
 */
final class PeerRateLimiter {

    private final int perSecond;
    private final TokenBucket all;
    private final Map<PeerId, TokenBucket> buckets;

    /** @param allPerSecond what all peers together may */
    PeerRateLimiter(int perSecond, int allPerSecond, int maxPeers, long nanoTime) {
        this.perSecond = perSecond;
        this.all = new TokenBucket(allPerSecond, nanoTime);
        this.buckets = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<PeerId, TokenBucket> eldest) {
                return size() > maxPeers;
            }
        };
    }

    synchronized boolean tryTake(PeerId peer, long nanoTime) {
        TokenBucket own = buckets.computeIfAbsent(peer, id -> new TokenBucket(perSecond, nanoTime));
        return own.tryTake(nanoTime) && all.tryTake(nanoTime);
    }
}

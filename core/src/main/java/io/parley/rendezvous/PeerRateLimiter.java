package io.parley.rendezvous;

import io.parley.id.PeerId;
import io.parley.resolver.Scheduler;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often each peer may do something, and all together. It forgets the peer that was quiet for longest when it knows too
 * many; who makes up identities to be forgotten meets the bound on all together. Thread-safe.
 */
final class PeerRateLimiter {

    private final long perSecond;
    private final Scheduler alarms;
    private final TokenBucket all;
    private final Map<PeerId, TokenBucket> byPeer;

    /** @param allPerSecond what all peers together may */
    PeerRateLimiter(long perSecond, long allPerSecond, int maxPeers, Scheduler alarms) {
        this.perSecond = perSecond;
        this.alarms = alarms;
        this.all = new TokenBucket(allPerSecond, alarms.nanoTime());
        this.byPeer = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<PeerId, TokenBucket> eldest) {
                return size() > maxPeers;
            }
        };
    }

    /** Takes that many at once, or none. */
    synchronized boolean tryTake(PeerId peer, int count) {
        long now = alarms.nanoTime();
        TokenBucket own = byPeer.computeIfAbsent(peer, id -> new TokenBucket(perSecond, now));
        if (!own.has(count, now) || !all.has(count, now)) {
            return false;
        }
        own.take(count);
        all.take(count);
        return true;
    }
}

package io.parley.common.internal;

import java.util.HashMap;
import java.util.Map;

/**
 * Limits the number of units, such as queries in progress, and their bytes, of each key and in total. One key gets a quarter
 * of the total. Thread-safe.
 *
 * @param <K> the key, such as a peer
 */
public final class ConcurrencyLimiter<K> {

    /** The part of the total that one key may use is one of so many. */
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
    private final Map<K, Usage> byPeer = new HashMap<>();
    private Usage all = Usage.NONE;

    /**
     * @param maxCount the number of units in use
     * @param maxBytes the bytes that they hold
     */
    public ConcurrencyLimiter(int maxCount, long maxBytes) {
        this.maxCount = maxCount;
        this.maxBytes = maxBytes;
    }

    /** Acquires one unit of {@code bytes} bytes; returns whether the key's share and the total had room. */
    public synchronized boolean tryAcquire(K key, long bytes) {
        Usage peers = byPeer.getOrDefault(key, Usage.NONE).plus(1, bytes);
        Usage together = all.plus(1, bytes);
        if (!peers.isWithin(maxCount / PEER_SHARE, maxBytes / PEER_SHARE) || !together.isWithin(maxCount, maxBytes)) {
            return false;
        }
        byPeer.put(key, peers);
        all = together;
        return true;
    }

    /** Releases what {@link #tryAcquire} acquired. */
    public synchronized void release(K key, long bytes) {
        byPeer.computeIfPresent(key, (id, use) -> use.count() == 1 ? null : use.plus(-1, -bytes));
        all = all.plus(-1, -bytes);
    }

    /** Returns the number of units in use. */
    public synchronized int inUse() {
        return all.count();
    }
}

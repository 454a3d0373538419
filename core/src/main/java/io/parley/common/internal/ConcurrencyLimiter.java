package io.parley.common.internal;

import java.util.HashMap;
import java.util.Map;

/**
 * Limits the number of units in use, such as queries in progress, and their bytes, per key and in total. One key may use a
 * quarter of the total. Thread-safe.
 *
 * @param <K> the key, such as a peer
 */
public final class ConcurrencyLimiter<K> {

    /** The divisor of the total that yields the share of one key. */
    private static final int KEY_DIVISOR = 4;

    private record Usage(int count, long bytes) {

        private static final Usage NONE = new Usage(0, 0);

        private Usage plus(int countDelta, long bytesDelta) {
            return new Usage(count + countDelta, bytes + bytesDelta);
        }

        private boolean isWithin(int maxCount, long maxBytes) {
            return count <= maxCount && bytes <= maxBytes;
        }
    }

    private final int maxCount;
    private final long maxBytes;
    private final Map<K, Usage> byKey = new HashMap<>();
    private Usage all = Usage.NONE;

    /**
     * Creates a limiter.
     *
     * @param maxCount the maximum number of units in use
     * @param maxBytes the maximum number of bytes that they hold
     */
    public ConcurrencyLimiter(int maxCount, long maxBytes) {
        this.maxCount = maxCount;
        this.maxBytes = maxBytes;
    }

    /** Acquires one unit of {@code bytes} bytes. Returns whether the share of the key and the total had room. */
    public synchronized boolean tryAcquire(K key, long bytes) {
        Usage ofKey = byKey.getOrDefault(key, Usage.NONE).plus(1, bytes);
        Usage total = all.plus(1, bytes);
        if (!ofKey.isWithin(maxCount / KEY_DIVISOR, maxBytes / KEY_DIVISOR) || !total.isWithin(maxCount, maxBytes)) {
            return false;
        }
        byKey.put(key, ofKey);
        all = total;
        return true;
    }

    /** Releases one unit that {@link #tryAcquire} acquired. */
    public synchronized void release(K key, long bytes) {
        byKey.computeIfPresent(key, (id, use) -> use.count() == 1 ? null : use.plus(-1, -bytes));
        all = all.plus(-1, -bytes);
    }

    /** Returns the number of units in use. */
    public synchronized int inUse() {
        return all.count();
    }
}

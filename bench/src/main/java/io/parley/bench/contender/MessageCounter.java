package io.parley.bench.contender;

import java.util.concurrent.atomic.AtomicLong;

/** Counts what arrives at the serving side. Safe to use from any thread. */
public final class MessageCounter {

    private static final long UNKNOWN = Long.MAX_VALUE;

    private final AtomicLong arrived = new AtomicLong();
    private volatile long expected = UNKNOWN;

    /**
     * Counts a message that is not to be echoed.
     *
     * @return whether all of them are in now, and the answer is to be sent: true exactly once per flood
     */
    public boolean count(Header header) {
        if (header.signal() == Signal.LAST) {
            expected = header.messages();
        }
        long count = arrived.incrementAndGet();
        return count >= expected && complete(count);
    }

    private boolean complete(long count) {
        expected = UNKNOWN;
        return arrived.compareAndSet(count, 0);
    }

    /** How many have arrived since the last complete flood: what a flood that never completes has delivered. */
    public long arrived() {
        return arrived.get();
    }
}

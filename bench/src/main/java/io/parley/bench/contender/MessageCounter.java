package io.parley.bench.contender;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the messages that arrive at the serving side. Thread-safe. */
public final class MessageCounter {

    private static final long UNKNOWN = Long.MAX_VALUE;

    private final AtomicLong arrived = new AtomicLong();
    private volatile long expected = UNKNOWN;

    /**
     * Counts a message that is not echoed.
     *
     * @return whether all messages of the flood have arrived, so that the reply must be sent: true exactly once per
     *     flood
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

    /**
     * Returns the number of messages that arrived after the last complete flood: the messages that an incomplete flood
     * delivered.
     */
    public long arrived() {
        return arrived.get();
    }
}

package io.parley.transport.udp;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Remembers what was heard for as long as its time would let it pass again: a copy that came by another interface, or a
 * replay. Only what was verified comes here, so the rate of signatures is its bound (see {@link TokenBucket#most}), and it
 * never has to forget too early. For one thread.
 */
final class ReplayWindow {

    private final LongSupplier nanoTime;
    private final long keepNanos;
    private final Map<MessageKey, Long> heardNanos = new LinkedHashMap<>();

    /** @param clockTolerance a time may be ahead of this peer's clock by that, and then be behind it by as much */
    ReplayWindow(Duration clockTolerance, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.keepNanos = 2 * clockTolerance.toNanos();
    }

    boolean contains(MessageKey key) {
        expire();
        return heardNanos.containsKey(key);
    }

    void add(MessageKey key) {
        expire();
        heardNanos.put(key, nanoTime.getAsLong());
    }

    int size() {
        return heardNanos.size();
    }

    private void expire() {
        long now = nanoTime.getAsLong();
        Iterator<Long> oldest = heardNanos.values().iterator();
        while (oldest.hasNext() && now - oldest.next() > keepNanos) {
            oldest.remove();
        }
    }
}

package io.parley.transport.tcp;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Looks a little longer for events before it lets an event loop sleep. To be woken on another processor takes longer than
 * the other peer takes to answer, so a loop that sleeps at once spends most of a round trip on waking up. It looks for
 * about as long as two wake-ups take, its own and that of a thread which then has more to send, so that waiting costs at
 * most three times as much (after Karlin, Li, Manasse and Owicki: Empirical Studies of Competitive Spinning for a
 * Shared-Memory Multiprocessor, 1991); and seldom where it was in vain: after each miss in a row twice as many waits go by
 * before the next try.
 *
 * <p>One for each event loop, used by its thread.
 */
final class SpinThenWaitStrategy implements SelectStrategy {

    private static final long SPIN_NANOS = 50_000;
    private static final int MAX_SKIPS = 64;

    private final LongSupplier nanoTime;
    private boolean spinning;
    private long spinStart;
    private int skipsAfterMiss = 1;
    private int skips;

    SpinThenWaitStrategy(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    @Override
    public int calculateStrategy(IntSupplier readyNow, boolean hasTasks) throws Exception {
        int ready = readyNow.get();
        if (ready > 0 || hasTasks) {
            if (spinning) {
                spinning = false;
                skipsAfterMiss = 1;
            }
            return ready;
        }
        if (!spinning) {
            return mayTry() ? start() : SELECT;
        }
        if (nanoTime.getAsLong() - spinStart < SPIN_NANOS) {
            Thread.onSpinWait();
            return CONTINUE;
        }
        spinning = false;
        skips = skipsAfterMiss;
        skipsAfterMiss = Math.min(MAX_SKIPS, 2 * skipsAfterMiss);
        return SELECT;
    }

    private boolean mayTry() {
        return skips == 0 || --skips == 0;
    }

    private int start() {
        spinning = true;
        spinStart = nanoTime.getAsLong();
        return CONTINUE;
    }
}

package io.parley.transport.tcp;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Polls for events for a short time before it lets an event loop sleep. A wake-up on another processor takes longer than the
 * remote peer takes to respond, so a loop that sleeps immediately spends most of a round trip on its wake-up. By default the
 * loop spins for about the time of two wake-ups, its own and that of a thread that then has more to send. The cost of waiting
 * is therefore at most three times the optimum (after Karlin, Li, Manasse and Owicki: Empirical Studies of Competitive Spinning
 * for a Shared-Memory Multiprocessor, 1991). Spinning without success becomes rare: after each miss in a row, twice as many
 * waits pass before the next attempt.
 *
 * <p>Each event loop has its own instance. Must be called on the event loop.
 */
final class SpinThenWaitStrategy implements SelectStrategy {

    private static final int MAX_SKIPS = 64;

    private final LongSupplier nanoTime;
    private final long spinNanos;
    private boolean spinning;
    private long spinStart;
    private int skipsAfterMiss = 1;
    private int skips;

    SpinThenWaitStrategy(LongSupplier nanoTime, long spinNanos) {
        this.nanoTime = nanoTime;
        this.spinNanos = spinNanos;
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
            return maySpin() ? start() : SELECT;
        }
        if (nanoTime.getAsLong() - spinStart < spinNanos) {
            Thread.onSpinWait();
            return CONTINUE;
        }
        spinning = false;
        skips = skipsAfterMiss;
        skipsAfterMiss = Math.min(MAX_SKIPS, 2 * skipsAfterMiss);
        return SELECT;
    }

    private boolean maySpin() {
        return skips == 0 || --skips == 0;
    }

    private int start() {
        spinning = true;
        spinStart = nanoTime.getAsLong();
        return CONTINUE;
    }
}

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
 * <p>On a machine whose wake-ups take longer, two loops that both sleep stay in that state: each response takes two wake-ups, and
 * a short spin ends before it. If events come soon after a sleep has begun, the loop therefore spins up to {@value #LONG_SPINS} times as
 * long, which ends that state. Long spins go on only as long as they make most events come in the time of a short one; a
 * stream with longer pauses soon ends them.
 *
 * <p>Each event loop has its own instance. Must be called on the event loop.
 */
final class SpinThenWaitStrategy implements SelectStrategy {

    /** The duration of a long spin in short ones. */
    static final int LONG_SPINS = 4;

    /** An event has come soon if the wait for it has taken at most so many long spins, its wake-up and processing included. */
    private static final int SOON_LONG_SPINS = 2;

    private static final int MAX_SKIPS = 64;

    /** An early event pays one unit of credit; a long spin that ends late, or without an event, costs two. */
    private static final int LATE_COST = 2;

    private static final int INITIAL_CREDIT = 8;
    private static final int MAX_CREDIT = 16;
    private static final int MIN_PAUSE_WAITS = 64;
    private static final int MAX_PAUSE_WAITS = 4096;

    private final LongSupplier nanoTime;
    private final long longNanos;
    private final long shortNanos;
    private boolean spinning;

    /** Whether the loop has slept since the start of the wait. */
    private boolean slept;

    private long waitStart;

    /** The time of the last poll without an event. */
    private long lastPoll;

    private int skipsAfterMiss = 1;
    private int skips;
    private boolean spinsLong;
    private int credit = INITIAL_CREDIT;

    /** The number of waits without long spins, after which they have credit again. */
    private int pausedWaits;

    private int nextPauseWaits = MIN_PAUSE_WAITS;

    /** @param maxSpinNanos the duration of a long spin */
    SpinThenWaitStrategy(LongSupplier nanoTime, long maxSpinNanos) {
        this.nanoTime = nanoTime;
        this.longNanos = maxSpinNanos;
        this.shortNanos = maxSpinNanos / LONG_SPINS;
    }

    @Override
    public int calculateStrategy(IntSupplier readyNow, boolean hasTasks) throws Exception {
        if (slept) {
            slept = false;
            onAwake(nanoTime.getAsLong() - waitStart);
        }
        int ready = readyNow.get();
        if (ready > 0 || hasTasks) {
            if (spinning) {
                spinning = false;
                onEvent(lastPoll - waitStart);
            }
            return ready;
        }
        if (!spinning) {
            return start();
        }
        lastPoll = nanoTime.getAsLong();
        if (lastPoll - waitStart < (spinsLong ? longNanos : shortNanos)) {
            Thread.onSpinWait();
            return CONTINUE;
        }
        spinning = false;
        onMiss();
        return sleep();
    }

    private int start() {
        if (pausedWaits > 0 && --pausedWaits == 0) {
            credit = INITIAL_CREDIT;
        }
        waitStart = nanoTime.getAsLong();
        if (skips > 0 && --skips > 0) {
            return sleep();
        }
        spinning = true;
        lastPoll = waitStart;
        return CONTINUE;
    }

    private int sleep() {
        slept = true;
        return SELECT;
    }

    private void onEvent(long nanos) {
        skipsAfterMiss = 1;
        if (!spinsLong) {
            return;
        }
        if (nanos > shortNanos) {
            chargeLongSpin();
        } else if (credit < MAX_CREDIT) {
            credit++;
        } else {
            nextPauseWaits = MIN_PAUSE_WAITS;
        }
    }

    private void onMiss() {
        skips = skipsAfterMiss;
        skipsAfterMiss = Math.min(MAX_SKIPS, 2 * skipsAfterMiss);
        if (spinsLong) {
            chargeLongSpin();
        }
    }

    private void onAwake(long nanos) {
        spinsLong = nanos <= SOON_LONG_SPINS * longNanos && pausedWaits == 0;
        if (spinsLong) {
            skips = 0;
        }
    }

    private void chargeLongSpin() {
        credit -= LATE_COST;
        if (credit <= 0) {
            spinsLong = false;
            pausedWaits = nextPauseWaits;
            nextPauseWaits = Math.min(MAX_PAUSE_WAITS, 2 * nextPauseWaits);
        }
    }
}

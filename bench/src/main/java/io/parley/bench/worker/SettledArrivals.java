package io.parley.bench.worker;

import io.parley.bench.contender.MessageCounter;
import java.util.concurrent.TimeUnit;

/** Counts messages of which some may be lost: those that have arrived when no more do. */
final class SettledArrivals {

    private static final long QUIET_MILLIS = 200;

    private SettledArrivals() {}

    /** Waits until no message has arrived for a while after the last one was sent. Returns the number, and starts again with 0. */
    static long await(MessageCounter counter) throws InterruptedException {
        long before = -1;
        while (counter.arrived() != before) {
            before = counter.arrived();
            TimeUnit.MILLISECONDS.sleep(QUIET_MILLIS);
        }
        return counter.takeArrived();
    }
}

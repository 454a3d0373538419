package io.parley.endpoint.internal.messenger;

import io.parley.common.Scheduler;
import io.parley.common.internal.Timers;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Holds the messages of one messenger back while its rate is used up. The first of them has a place in the rate while it waits. Other
 * messengers may share the rate. {@link #isWaiting} is thread-safe; the other methods must be called with the lock of the messenger.
 */
final class SendRateGate {

    private final MessengerOptions.Rate rate;
    private final EndpointContext context;

    /** The lock of the messenger. */
    private final ReentrantLock lock;

    private final Runnable wake;

    /** The message that the rate has counted, and that waits or may be sent now. */
    private @Nullable OutboundMessage counted;

    private Scheduler.Timer timer = () -> {};

    /** The number of the last wait. A timer that has expired may come too late to be cancelled. */
    private long waits;

    private volatile boolean waiting;

    /**
     * Creates a gate.
     *
     * @param lock the lock of the messenger
     * @param wake makes the messenger send
     */
    SendRateGate(MessengerOptions.Rate rate, EndpointContext context, ReentrantLock lock, Runnable wake) {
        this.rate = rate;
        this.context = context;
        this.lock = lock;
        this.wake = wake;
    }

    /** Returns whether no message may be sent now. The messenger is woken later. */
    boolean isWaiting() {
        return waiting;
    }

    /** Returns whether a message may be sent now. A message is counted once, also if it is sent again. */
    boolean admit(OutboundMessage next) {
        if (next.isAdmitted()) {
            return true;
        }
        if (waiting) {
            return false;
        }
        if (counted != next) {
            forget();
            counted = next;
            long nanos = rate.reserve(next.payloadBytes());
            if (nanos > 0) {
                startWait(nanos);
                return false;
            }
        }
        counted = null;
        next.setAdmitted();
        return true;
    }

    private void startWait(long nanos) {
        waiting = true;
        long wait = ++waits;
        timer = Timers.schedule(rate.scheduler(), Duration.ofNanos(nanos), context.executor(), () -> resume(wait));
        context.metrics().increment(Counter.RATE_WAITS); // when the wait has begun
    }

    private void resume(long wait) {
        lock.lock();
        try {
            if (wait != waits) {
                return;
            }
            waiting = false;
        } finally {
            lock.unlock();
        }
        wake.run();
    }

    /**
     * Called when a message was removed, and will not be sent.
     *
     * @param hasNext whether another message follows it, which asks the rate for itself
     */
    void onRemoved(OutboundMessage removed, boolean hasNext) {
        if (counted == removed) {
            forget();
            if (hasNext) {
                EndpointContext.execute(context.executor(), wake);
            }
        }
    }

    /** Gives the place up that a message has in the rate. */
    void forget() {
        timer.cancel();
        waits++;
        waiting = false;
        OutboundMessage unsent = counted;
        counted = null;
        if (unsent != null) {
            rate.putBack(unsent.payloadBytes());
        }
    }
}

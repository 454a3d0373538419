package io.parley.endpoint.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.Timers;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.function.LongUnaryOperator;

/**
 * Holds the messages of one messenger back while its rate is used up. Other messengers may share the rate. {@link #isWaiting} is
 * thread-safe; the other methods must be called with the lock of the messenger.
 */
final class SendRateGate {

    private final LongUnaryOperator rate;
    private final Scheduler scheduler;
    private final EndpointContext context;
    private final Runnable wake;
    private Scheduler.Timer timer = () -> {};
    private volatile boolean waiting;

    /**
     * Creates a gate.
     *
     * @param rate      see {@link io.parley.endpoint.Messenger#limitRate}
     * @param scheduler the time of the rate
     * @param wake      makes the messenger send
     */
    SendRateGate(LongUnaryOperator rate, Scheduler scheduler, EndpointContext context, Runnable wake) {
        this.rate = rate;
        this.scheduler = scheduler;
        this.context = context;
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
        long nanos = rate.applyAsLong(next.payloadBytes());
        if (nanos <= 0) {
            next.setAdmitted();
            return true;
        }
        waiting = true;
        context.metrics().increment(Counter.RATE_WAITS);
        timer = Timers.schedule(scheduler, Duration.ofNanos(nanos), context.executor(), this::resume);
        return false;
    }

    private void resume() {
        waiting = false;
        wake.run();
    }

    void stop() {
        timer.cancel();
    }
}

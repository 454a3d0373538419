package io.parley.endpoint.internal.link;

import io.parley.common.Scheduler;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.context.EndpointContext;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Checks at each keep-alive interval that the remote peer of a link is alive, and whether the link is used. Confined to the event loop
 * of the link, except for {@link #idleNanos}.
 */
final class KeepAlive {

    /** The link. */
    interface Owner {

        boolean isClosed();

        /** Sends a frame to which the remote peer responds. */
        void sendProbe();

        /** Aborts the connection, because no frame was received for that time. */
        void onSilent(Duration time);

        /** Called at each interval at which the remote peer is alive. */
        void onKeepAlive();

        /** Closes the cached messengers that were not used since the last call. */
        void closeIdleMessengers();

        /** Called at each interval after no message was transferred for the idle timeout. */
        void onIdle();
    }

    /** The number of keep-alive intervals without received frames after which the remote peer is considered dead. */
    private static final int MAX_SILENT_INTERVALS = 3;

    private final Owner link;
    private final EndpointContext context;
    private final Executor eventLoop;
    private Scheduler.@Nullable Timer timer;
    private boolean frameReceived;
    private boolean messageTransferred;
    private int silentIntervals;

    /** Written on the event loop. */
    private volatile long idleNanos;

    private long sweptNanos;

    KeepAlive(Owner link, EndpointContext context, Executor eventLoop) {
        this.link = link;
        this.context = context;
        this.eventLoop = eventLoop;
    }

    void start() {
        // Jitter, so that the links of one peer do not ping at the same time.
        double jitter = 0.8 + 0.4 * context.scheduler().random().nextDouble();
        schedule(Duration.ofNanos((long) (interval().toNanos() * jitter)));
    }

    void stop() {
        if (timer != null) {
            timer.cancel();
        }
    }

    private Duration interval() {
        return context.limits().keepAliveInterval();
    }

    void onFrameReceived() {
        frameReceived = true;
    }

    /** Called for each message, or some together, that is sent or received. */
    void onMessageTransferred() {
        messageTransferred = true;
    }

    /** Returns for how long no messages were transferred, in steps of the keep-alive interval. Thread-safe. */
    long idleNanos() {
        return idleNanos;
    }

    /**
     * Schedules one check. The next one is scheduled after it, not at a fixed rate: after a pause of this process a series
     * of missed checks would find the remote peer silent.
     */
    private void schedule(Duration delay) {
        timer = context.schedule(delay, eventLoop, this::check);
    }

    private void check() {
        if (link.isClosed()) {
            return;
        }
        if (frameReceived) {
            frameReceived = false;
            silentIntervals = 0;
        } else if (++silentIntervals >= MAX_SILENT_INTERVALS) {
            link.onSilent(interval().multipliedBy(MAX_SILENT_INTERVALS));
            return;
        } else {
            link.sendProbe();
        }
        link.onKeepAlive();
        checkIdle();
        schedule(interval());
    }

    private void checkIdle() {
        EndpointLimits limits = context.limits();
        long interval = limits.keepAliveInterval().toNanos();
        long idleTimeout = limits.idleTimeout().toNanos();
        idleNanos = messageTransferred ? 0 : idleNanos + interval;
        messageTransferred = false;
        sweptNanos += interval;
        if (sweptNanos >= idleTimeout || idleNanos >= idleTimeout) {
            sweptNanos = 0;
            link.closeIdleMessengers();
        }
        if (idleNanos >= idleTimeout) {
            link.onIdle();
        }
    }
}

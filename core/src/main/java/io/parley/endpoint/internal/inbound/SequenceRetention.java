package io.parley.endpoint.internal.inbound;

import io.parley.common.Scheduler;
import io.parley.endpoint.internal.context.EndpointContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an association in use while the remote peer may resume its channels: until it has noticed the loss of the link, and its
 * attempts to reconnect have failed. If too many associations are kept, only other users keep this one. Thread-safe.
 */
public final class SequenceRetention {

    /** The association. */
    public interface Owner {

        /** Returns whether the endpoint is closing. */
        boolean isClosing();

        /**
         * Keeps the association in use. Returns false if too many associations are kept for that. Called with the lock.
         *
         * @param remoteHost the prefix of the address of the lost peer
         */
        boolean tryRetainForSequences(String remoteHost);

        /** Reverses {@link #tryRetainForSequences}. */
        void releaseForSequences(String remoteHost);
    }

    private final Owner association;
    private final InboundSequences sequences;
    private final EndpointContext context;

    /** The lock of the association. */
    private final ReentrantLock lock;

    /** Runs while a lost peer may resume its channels. Guarded by the lock, as the following fields. */
    private Scheduler.@Nullable Timer timer;

    /** The host for which the association is retained; null if it is not. */
    private @Nullable String retainedFor;

    private long lastLinkClosedNanos;

    public SequenceRetention(
            Owner association, InboundSequences sequences, EndpointContext context, ReentrantLock lock) {
        this.association = association;
        this.sequences = sequences;
        this.context = context;
        this.lock = lock;
    }

    /**
     * Called when a link is closed.
     *
     * @param remoteHost the prefix of the address of the lost peer
     */
    public void start(String remoteHost) {
        if (!sequences.trim()) {
            return;
        }
        lock.lock();
        try {
            lastLinkClosedNanos = context.scheduler().nanoTime();
            if (timer == null && !association.isClosing()) {
                retainedFor = association.tryRetainForSequences(remoteHost) ? remoteHost : null;
                schedule(context.limits().resumeTimeout());
            }
            if (timer == null) { // the association may not live long enough to release it
                sequences.dropDetachedState();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The caller must hold the lock. */
    private void schedule(Duration delay) {
        timer = context.schedule(delay, context.executor(), this::onTimeout);
    }

    private void onTimeout() {
        Runnable rest;
        lock.lock();
        try {
            Duration remaining = context.limits()
                    .resumeTimeout()
                    .minusNanos(context.scheduler().nanoTime() - lastLinkClosedNanos);
            if (timer != null && remaining.compareTo(Duration.ZERO) > 0) { // another link was lost meanwhile
                schedule(remaining);
                return;
            }
            rest = stop();
        } finally {
            lock.unlock();
        }
        rest.run();
    }

    /** Gives the sequences up that no link holds, and releases the association. Must be called without the lock. */
    public void end() {
        Runnable rest;
        lock.lock();
        try {
            rest = stop();
        } finally {
            lock.unlock();
        }
        rest.run();
    }

    /**
     * Ends the time of the sequences that no link holds now: those of a link that is lost from now on have their own. The caller must
     * hold the lock, and run the result without it.
     */
    private Runnable stop() {
        Scheduler.Timer running = timer;
        String remoteHost = retainedFor;
        timer = null;
        retainedFor = null;
        if (running == null) {
            return () -> {};
        }
        running.cancel();
        List<InboundSequence> lost = sequences.takeDetached();
        return () -> {
            lost.forEach(InboundSequence::reportLost);
            if (remoteHost != null) {
                association.releaseForSequences(remoteHost);
            }
        };
    }
}

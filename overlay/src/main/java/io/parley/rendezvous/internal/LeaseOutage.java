package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time that a client spends without a lease: its begin and the last failure. Logs one warning per outage, after the time in
 * which a rendezvous must have responded: on a busy machine the first request may fail although all is well. Thread-safe.
 */
final class LeaseOutage {

    private static final Logger log = LoggerFactory.getLogger(LeaseOutage.class);

    private final Scheduler scheduler;
    private final List<String> seeds;
    private final Duration warningDelay;
    private @Nullable Instant offlineSince;

    /** Beside the time of day, because a clock may be set back. */
    private long offlineSinceNanos;

    private @Nullable ParleyException lastFailure;
    private boolean hadLease;
    private boolean warned;

    /**
     * Starts offline.
     *
     * @param warningDelay the minimum duration of an outage that is logged
     */
    LeaseOutage(Scheduler scheduler, List<String> seeds, Duration warningDelay) {
        this.scheduler = scheduler;
        this.warningDelay = warningDelay;
        this.seeds = List.copyOf(seeds);
        begin();
    }

    private void begin() {
        offlineSince = scheduler.clock().instant();
        offlineSinceNanos = scheduler.nanoTime();
    }

    private Duration duration() {
        return Duration.ofNanos(scheduler.nanoTime() - offlineSinceNanos);
    }

    /** Records that the lease is lost; {@code cause} is {@code null} if this peer returned it. */
    synchronized void onLost(@Nullable ParleyException cause) {
        begin();
        warned = false;
        lastFailure = cause == null ? lastFailure : cause;
    }

    /** Records why one rendezvous has not granted a lease. */
    synchronized void onFailure(ParleyException cause) {
        lastFailure = cause;
    }

    /** Records that no candidate has granted a lease. It is logged once in an outage, when that has lasted long enough. */
    void onAllFailed() {
        ParleyException cause;
        synchronized (this) {
            if (warned || seeds.isEmpty() || offlineSince == null || duration().compareTo(warningDelay) < 0) {
                return;
            }
            warned = true;
            cause = lastFailure;
        }
        log.warn(
                "Cannot acquire a lease from any rendezvous ({}), so only peers on the local network can be found;"
                        + " check that a rendezvous runs at one of these addresses, attempts continue: {}",
                String.join(", ", seeds),
                cause == null ? "no failure" : cause.getMessage());
    }

    /**
     * Records that a rendezvous has granted a lease.
     *
     * @return how long the client was offline, if a lease was lost before or a warning was logged
     */
    synchronized Optional<Duration> onAcquired() {
        boolean isReported = offlineSince != null && (hadLease || warned);
        offlineSince = null;
        hadLease = true;
        return isReported ? Optional.of(duration()) : Optional.empty();
    }

    /** Returns the status of a client with these leases. */
    synchronized RendezvousStatus status(Set<PeerId> rendezvous) {
        return new RendezvousStatus(false, rendezvous, seeds, offlineSince, lastFailure);
    }
}

package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Records which rendezvous have failed to respond to requests of one kind. A rendezvous fails from its first failure until it
 * responds, or until there was no further failure for some time. A full table forgets the rendezvous that began to fail
 * first. Thread-safe.
 */
final class FailureTracker {

    /** Failures that have their cause at this peer, or show that the other one works. */
    private static final Set<ErrorCode> HARMLESS = Set.of(ErrorCode.BUSY, ErrorCode.QUEUE_FULL, ErrorCode.CLOSED);

    private record FailurePeriod(long sinceNanos, long lastNanos) {}

    private final Duration retention;
    private final Scheduler scheduler;
    private final Map<PeerId, FailurePeriod> failing;

    /** @param retention the time after which a failure is forgotten */
    FailureTracker(Duration retention, int maxPeers, Scheduler scheduler) {
        this.retention = retention;
        this.scheduler = scheduler;
        this.failing = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<PeerId, FailurePeriod> eldest) {
                return size() > maxPeers;
            }
        };
    }

    synchronized void onResponse(PeerId peer) {
        failing.remove(peer);
    }

    /** Records a failure, unless it shows no fault of the other peer. */
    synchronized void onFailure(PeerId peer, ParleyException failure) {
        if (!HARMLESS.contains(failure.code())) {
            long now = scheduler.nanoTime();
            FailurePeriod known = current(peer, now);
            failing.put(peer, new FailurePeriod(known == null ? now : known.sinceNanos(), now));
        }
    }

    private @Nullable FailurePeriod current(PeerId peer, long now) {
        FailurePeriod known = failing.get(peer);
        return known == null || now - known.lastNanos() >= retention.toNanos() ? null : known;
    }

    synchronized boolean isFailing(PeerId peer) {
        return current(peer, scheduler.nanoTime()) != null;
    }

    /** Returns the time since the first failure after the last response; zero if there was none. */
    synchronized Duration failingFor(PeerId peer) {
        long now = scheduler.nanoTime();
        FailurePeriod known = current(peer, now);
        return known == null ? Duration.ZERO : Duration.ofNanos(now - known.sinceNanos());
    }

    /** Returns the peers that are failing. */
    synchronized List<PeerId> peers() {
        long now = scheduler.nanoTime();
        return failing.keySet().stream()
                .filter(peer -> current(peer, now) != null)
                .toList();
    }
}

package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The other rendezvous that are known and held to be alive. Who was dropped has to state itself anew to be taken again.
 * Thread-safe.
 */
final class PeerView {

    private static final Logger log = LoggerFactory.getLogger(PeerView.class);

    private record TimedEntry(PeerViewEntry member, long heardNanos) {}

    private final PeerId self;
    private final RendezvousLimits.PeerViewLimits limits;
    private final Scheduler scheduler;
    private final RendezvousMetrics metrics;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Map<PeerId, TimedEntry> seen = new HashMap<>();

    /** When those who were dropped had stated themselves last. */
    private final Map<PeerId, Long> dropped;

    private volatile ReplicaSelector ranking;

    PeerView(PeerId self, RendezvousLimits.PeerViewLimits limits, Scheduler scheduler, RendezvousMetrics metrics) {
        this.self = self;
        this.limits = limits;
        this.scheduler = scheduler;
        this.metrics = metrics;
        this.ranking = new ReplicaSelector(Set.of(self));
        this.dropped = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<PeerId, Long> eldest) {
                return size() > 2 * limits.maxRendezvous();
            }
        };
    }

    /** Is called, by the thread that changes it, after somebody has come or gone. */
    void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /** Takes a verified statement; false when it is not newer than what is known, or of this peer, or one too many. */
    boolean offer(PeerViewEntry member) {
        boolean joined;
        synchronized (this) {
            TimedEntry old = seen.get(member.peer());
            Long lastWord = old == null
                    ? dropped.get(member.peer())
                    : Long.valueOf(old.member().issuedMillis());
            boolean news = lastWord == null || member.issuedMillis() > lastWord;
            if (!news || member.peer().equals(self) || (old == null && seen.size() >= limits.maxRendezvous())) {
                return false;
            }
            seen.put(member.peer(), new TimedEntry(member, scheduler.nanoTime()));
            dropped.remove(member.peer());
            joined = old == null;
            if (joined) {
                metrics.increment(Counter.VIEW_ENTRIES_ADDED);
                rank();
            }
        }
        if (joined) {
            log.debug("Rendezvous {} is known now", member.peer());
            listeners.forEach(Runnable::run);
        }
        return true;
    }

    /** Whether it was there. */
    boolean drop(PeerId peer, String why) {
        synchronized (this) {
            TimedEntry old = seen.remove(peer);
            if (old == null) {
                return false;
            }
            dropped.merge(peer, old.member().issuedMillis(), Math::max);
            metrics.increment(Counter.VIEW_ENTRIES_REMOVED);
            rank();
        }
        log.debug("Rendezvous {} is given up: {}", peer, why);
        listeners.forEach(Runnable::run);
        return true;
    }

    /**
     * It says so itself; statements that others may still pass on are older than that. Strangers are not remembered, as they
     * could be made up to have others forgotten.
     */
    void leave(PeerId peer, long issuedMillis) {
        synchronized (this) {
            if (seen.containsKey(peer) || dropped.containsKey(peer)) {
                dropped.merge(peer, issuedMillis, Math::max);
            }
        }
        drop(peer, "it leaves");
    }

    private void rank() {
        List<PeerId> all = new ArrayList<>(seen.keySet());
        all.add(self);
        ranking = new ReplicaSelector(all);
    }

    /** Who keeps what, this peer included. */
    ReplicaSelector ranking() {
        return ranking;
    }

    /** Whether it was there before, and has not come back. */
    synchronized boolean wasGivenUp(PeerId peer) {
        return dropped.containsKey(peer);
    }

    synchronized boolean contains(PeerId peer) {
        return seen.containsKey(peer);
    }

    synchronized Optional<PeerViewEntry> find(PeerId peer) {
        return Optional.ofNullable(seen.get(peer)).map(TimedEntry::member);
    }

    synchronized Set<PeerId> peers() {
        return Set.copyOf(seen.keySet());
    }

    synchronized int size() {
        return seen.size();
    }

    /** The last statements, the one heard last first. */
    synchronized List<PeerViewEntry> newest() {
        long now = scheduler.nanoTime();
        return seen.values().stream()
                .sorted(Comparator.comparingLong(one -> now - one.heardNanos()))
                .map(TimedEntry::member)
                .toList();
    }

    /** Of whom there is a statement of what time. */
    synchronized Map<PeerId, Long> issued() {
        return seen.values().stream()
                .collect(Collectors.toMap(
                        one -> one.member().peer(), one -> one.member().issuedMillis()));
    }

    /** Those who have not been heard of for that long. */
    synchronized List<PeerId> silentFor(Duration silence) {
        long now = scheduler.nanoTime();
        return seen.values().stream()
                .filter(one -> now - one.heardNanos() >= silence.toNanos())
                .map(one -> one.member().peer())
                .toList();
    }
}

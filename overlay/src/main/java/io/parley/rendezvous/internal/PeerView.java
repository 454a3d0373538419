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
 * The other rendezvous that are known and regarded as alive. A rendezvous that was removed must issue a new entry to be added
 * again. Thread-safe.
 */
final class PeerView {

    private static final Logger log = LoggerFactory.getLogger(PeerView.class);

    private record TimedEntry(PeerViewEntry entry, long receivedNanos) {}

    private final PeerId self;
    private final RendezvousLimits.PeerViewLimits limits;
    private final Scheduler scheduler;
    private final RendezvousMetrics metrics;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Map<PeerId, TimedEntry> entries = new HashMap<>();

    /** The time of issue of the last entries of rendezvous that were removed, in milliseconds since the epoch. */
    private final Map<PeerId, Long> removed;

    private volatile ReplicaSelector replicaSelector;

    PeerView(PeerId self, RendezvousLimits.PeerViewLimits limits, Scheduler scheduler, RendezvousMetrics metrics) {
        this.self = self;
        this.limits = limits;
        this.scheduler = scheduler;
        this.metrics = metrics;
        this.replicaSelector = new ReplicaSelector(Set.of(self));
        this.removed = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<PeerId, Long> eldest) {
                return size() > 2 * limits.maxRendezvous();
            }
        };
    }

    /** Registers a listener that runs after a rendezvous was added or removed, on the thread that has done that. */
    void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /**
     * Adds a verified entry.
     *
     * @return false if it is not newer than the last one, or is of this peer, or the view is full
     */
    boolean offer(PeerViewEntry entry) {
        boolean added;
        synchronized (this) {
            TimedEntry known = entries.get(entry.peer());
            Long lastIssued = known == null
                    ? removed.get(entry.peer())
                    : Long.valueOf(known.entry().issuedMillis());
            boolean newer = lastIssued == null || entry.issuedMillis() > lastIssued;
            if (!newer || entry.peer().equals(self) || (known == null && entries.size() >= limits.maxRendezvous())) {
                return false;
            }
            entries.put(entry.peer(), new TimedEntry(entry, scheduler.nanoTime()));
            removed.remove(entry.peer());
            added = known == null;
            if (added) {
                metrics.increment(Counter.VIEW_ENTRIES_ADDED);
                updateSelector();
            }
        }
        if (added) {
            log.debug("Added rendezvous {} to the peer view", entry.peer());
            listeners.forEach(Runnable::run);
        }
        return true;
    }

    /** Removes a rendezvous; returns whether it was in the view. */
    boolean remove(PeerId peer, String reason) {
        synchronized (this) {
            TimedEntry known = entries.remove(peer);
            if (known == null) {
                return false;
            }
            removed.merge(peer, known.entry().issuedMillis(), Math::max);
            metrics.increment(Counter.VIEW_ENTRIES_REMOVED);
            updateSelector();
        }
        log.debug("Removed rendezvous {} from the peer view: {}", peer, reason);
        listeners.forEach(Runnable::run);
        return true;
    }

    /**
     * Removes a rendezvous that has announced its end. Entries that others may still forward are older than
     * {@code issuedMillis}. Unknown peers are not recorded: an attacker could invent them to evict others.
     */
    void onLeave(PeerId peer, long issuedMillis) {
        synchronized (this) {
            if (entries.containsKey(peer) || removed.containsKey(peer)) {
                removed.merge(peer, issuedMillis, Math::max);
            }
        }
        remove(peer, "it leaves");
    }

    private void updateSelector() {
        List<PeerId> all = new ArrayList<>(entries.keySet());
        all.add(self);
        replicaSelector = new ReplicaSelector(all);
    }

    /** Returns the selector of replicas among all rendezvous of the view and this peer. */
    ReplicaSelector replicaSelector() {
        return replicaSelector;
    }

    /** Returns whether the rendezvous was removed and has not been added again. */
    synchronized boolean wasRemoved(PeerId peer) {
        return removed.containsKey(peer);
    }

    synchronized boolean contains(PeerId peer) {
        return entries.containsKey(peer);
    }

    synchronized Optional<PeerViewEntry> find(PeerId peer) {
        return Optional.ofNullable(entries.get(peer)).map(TimedEntry::entry);
    }

    synchronized Set<PeerId> peers() {
        return Set.copyOf(entries.keySet());
    }

    synchronized int size() {
        return entries.size();
    }

    /** Returns the entries, the one received last first. */
    synchronized List<PeerViewEntry> newest() {
        long now = scheduler.nanoTime();
        return entries.values().stream()
                .sorted(Comparator.comparingLong(timed -> now - timed.receivedNanos()))
                .map(TimedEntry::entry)
                .toList();
    }

    /** Returns the time of issue of each entry, in milliseconds since the epoch. */
    synchronized Map<PeerId, Long> issueTimes() {
        return entries.values().stream()
                .map(TimedEntry::entry)
                .collect(Collectors.toMap(PeerViewEntry::peer, PeerViewEntry::issuedMillis));
    }

    /** Returns the rendezvous of which no new entry was received within {@code silence}. */
    synchronized List<PeerId> silentFor(Duration silence) {
        long now = scheduler.nanoTime();
        return entries.values().stream()
                .filter(timed -> now - timed.receivedNanos() >= silence.toNanos())
                .map(timed -> timed.entry().peer())
                .toList();
    }
}

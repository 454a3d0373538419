package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.HostPrefix;
import io.parley.common.internal.HostShares;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
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
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The other rendezvous that have contacted this peer, or responded to it, and are regarded as alive. Others can neither add a
 * rendezvous nor keep one that does not respond. A rendezvous that was removed must issue a new entry to be added again.
 * Thread-safe.
 *
 * <p>The number of rendezvous of one host and of one network is bounded, because identities cost nothing. The hosts share the
 * last fifth of all places. A rendezvous of a host below its share replaces one of the host with most.
 */
final class PeerView {

    private static final Logger log = LoggerFactory.getLogger(PeerView.class);

    /** The part of all places that the rendezvous of one host may use, and those that they may use in any case. */
    private static final int HOST_FRACTION = 16;

    private static final int MIN_PER_HOST = 4;

    /** The same for one network. */
    private static final int NETWORK_FRACTION = 4;

    private static final int MIN_PER_NETWORK = 8;

    /**
     * A member.
     *
     * @param host the host from which it contacted this peer when it was added
     */
    private record TimedEntry(PeerViewEntry entry, long receivedNanos, String host) {}

    private final PeerId self;
    private final RendezvousLimits.PeerViewLimits limits;
    private final Scheduler scheduler;
    private final RendezvousMetrics metrics;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final RateLimitedLogger refusalLog = new RateLimitedLogger(log);
    private final Map<PeerId, TimedEntry> entries = new HashMap<>();
    private final HostShares places;
    private final int maxPerHost;
    private final int maxPerNetwork;

    /** The rendezvous that have failed to serve searches and replicas. */
    private final FailureTracker failures;

    /** The time of issue of the last entries of rendezvous that were removed, in milliseconds since the epoch. */
    private final Map<PeerId, Long> removed;

    private volatile ReplicaSelector replicaSelector;

    PeerView(PeerId self, RendezvousLimits.PeerViewLimits limits, Scheduler scheduler, RendezvousMetrics metrics) {
        this.self = self;
        this.limits = limits;
        this.scheduler = scheduler;
        this.metrics = metrics;
        this.replicaSelector = new ReplicaSelector(Set.of(self));
        this.places = new HostShares(limits.maxRendezvous());
        this.maxPerHost = Math.max(MIN_PER_HOST, limits.maxRendezvous() / HOST_FRACTION);
        this.maxPerNetwork = Math.max(MIN_PER_NETWORK, limits.maxRendezvous() / NETWORK_FRACTION);
        this.failures = new FailureTracker(limits.failureTimeout(), limits.maxRendezvous(), scheduler);
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
     * Adds a rendezvous, or updates its entry. Must be called only for a verified entry that the rendezvous itself has sent.
     *
     * @param host the host of the rendezvous, a {@linkplain HostPrefix#of prefix}
     * @return false if the entry is not newer than the last one, or is of this peer, or there is no place
     */
    boolean offer(PeerViewEntry entry, String host) {
        synchronized (this) {
            if (refresh(entry)) {
                return true;
            }
            if (entries.containsKey(entry.peer()) || isOutdated(entry) || !acquirePlace(entry.peer(), host)) {
                return false;
            }
            entries.put(entry.peer(), new TimedEntry(entry, scheduler.nanoTime(), host));
            removed.remove(entry.peer());
            metrics.increment(Counter.VIEW_ENTRIES_ADDED);
            updateSelector();
        }
        log.debug("Added rendezvous {} to the peer view", entry.peer());
        listeners.forEach(Runnable::run);
        return true;
    }

    /**
     * Updates the entry of a member by a verified one, from any source: it is signed by the member, and so shows that the
     * member is alive.
     *
     * @return false if the rendezvous is no member, or the entry is not newer
     */
    synchronized boolean refresh(PeerViewEntry entry) {
        TimedEntry known = entries.get(entry.peer());
        if (known == null || entry.issuedMillis() <= known.entry().issuedMillis()) {
            return false;
        }
        entries.put(entry.peer(), new TimedEntry(entry, scheduler.nanoTime(), known.host()));
        return true;
    }

    /** Returns whether an entry of a rendezvous that is no member does not show that it is alive, or is of this peer. */
    synchronized boolean isOutdated(PeerViewEntry entry) {
        Long lastIssued = removed.get(entry.peer());
        return entry.peer().equals(self) || (lastIssued != null && entry.issuedMillis() <= lastIssued);
    }

    private boolean acquirePlace(PeerId peer, String host) {
        String network = HostPrefix.network(host);
        if (count(host::equals) >= maxPerHost) {
            return refuse(peer, "its host", maxPerHost);
        }
        if (count(other -> HostPrefix.network(other).equals(network)) >= maxPerNetwork) {
            return refuse(peer, "its network", maxPerNetwork);
        }
        if (!places.tryAcquire(host, 1) && !(replaceOneOfTheLargestHost(host) && places.tryAcquire(host, 1))) {
            return refuse(peer, "all hosts", limits.maxRendezvous());
        }
        return true;
    }

    private long count(Predicate<String> hosts) {
        return entries.values().stream().map(TimedEntry::host).filter(hosts).count();
    }

    private boolean refuse(PeerId peer, String scope, int limit) {
        metrics.increment(Counter.VIEW_ENTRIES_REFUSED);
        refusalLog.warn("Refused rendezvous {}: too many rendezvous of {} (expected: <= {})", peer, scope, limit);
        return false;
    }

    /** Removes the member of the host with most whose last entry is the oldest, if the other host is below its share. */
    private boolean replaceOneOfTheLargestHost(String host) {
        String largest = places.largestHost().orElse(host);
        if (largest.equals(host) || places.used() < limits.maxRendezvous() || !places.isBelowShare(host, 1)) {
            return false;
        }
        long now = scheduler.nanoTime();
        entries.values().stream()
                .filter(timed -> timed.host().equals(largest))
                .max(Comparator.comparingLong(timed -> now - timed.receivedNanos()))
                .ifPresent(timed -> drop(timed.entry().peer()));
        return true;
    }

    /** Removes a member without notice of the listeners. The caller must hold the lock. */
    private boolean drop(PeerId peer) {
        TimedEntry known = entries.remove(peer);
        if (known == null) {
            return false;
        }
        places.release(known.host(), 1);
        removed.merge(peer, known.entry().issuedMillis(), Math::max);
        failures.onResponse(peer);
        metrics.increment(Counter.VIEW_ENTRIES_REMOVED);
        updateSelector();
        return true;
    }

    /** Removes a rendezvous; returns whether it was in the view. */
    boolean remove(PeerId peer, String reason) {
        synchronized (this) {
            if (!drop(peer)) {
                return false;
            }
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

    /** Records that a member has served a search or replicas. */
    void onServed(PeerId peer) {
        failures.onResponse(peer);
    }

    /** Records that a rendezvous has not served a search or replicas. */
    void onFailed(PeerId peer, Throwable failure) {
        if (contains(peer)) {
            failures.onFailure(peer, Throwables.toParleyException(failure, ErrorCode.UNREACHABLE));
        }
    }

    /** Returns whether a member has failed to serve a search or replicas of late. */
    boolean isFailing(PeerId peer) {
        return failures.isFailing(peer);
    }

    /**
     * Returns rendezvous that rank behind the {@code count} highest for an item: one for each of these that is failing, as
     * long as there are any that are not.
     */
    List<PeerId> spares(int count, long item) {
        List<PeerId> ranked = replicaSelector.select(2 * count, item);
        long working =
                ranked.stream().limit(count).filter(peer -> !isFailing(peer)).count();
        return ranked.stream()
                .skip(count)
                .filter(peer -> !isFailing(peer))
                .limit(count - working)
                .toList();
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

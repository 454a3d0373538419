package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.HostShares;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousLimits;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The clients of a rendezvous, and the groups of each. Identities cost nothing, so the hosts share the number of clients: when it is
 * reached, a client of a host that has less than an equal share gets the place of a client of the largest host. Thread-safe.
 */
final class LeaseRegistry {

    /**
     * A lease that was granted.
     *
     * @param fresh   whether the client had none
     * @param evicted the client whose lease was ended for it
     */
    record Grant(Duration duration, boolean fresh, Optional<PeerId> evicted) {}

    /** @param host the host that has acquired the lease, for which it counts until its end */
    private record Lease(Set<GroupId> groups, String host, long renewedNanos, long endNanos) {}

    /** The minimum interval of searches for expired leases, which are linear, on behalf of clients that are refused. */
    private static final Duration MIN_EXPIRY_INTERVAL = Duration.ofSeconds(1);

    private final RendezvousLimits.LeaseLimits limits;
    private final Scheduler scheduler;
    private final Function<PeerId, String> hosts;
    private final HostShares shares;
    private final Map<PeerId, Lease> leases = new HashMap<>();
    private @Nullable Long lastExpiryNanos;
    private final Map<GroupId, Set<PeerId>> members = new HashMap<>();

    /** @param hosts returns the host of a connected peer */
    LeaseRegistry(RendezvousLimits.LeaseLimits limits, Scheduler scheduler, Function<PeerId, String> hosts) {
        this.limits = limits;
        this.scheduler = scheduler;
        this.hosts = hosts;
        this.shares = new HostShares(limits.maxClients());
    }

    /** Grants or renews a lease; empty if there are already as many clients, in all or of this host, as the limits allow. */
    synchronized Optional<Grant> grant(PeerId client, Set<GroupId> groups, Duration requested) {
        Lease known = live(client);
        String host = known == null ? hosts.apply(client) : known.host();
        Optional<PeerId> evicted = Optional.empty();
        if (known == null && !shares.tryAcquire(host, 1)) {
            expireAtIntervals();
            if (!shares.tryAcquire(host, 1)) {
                evicted = evictFor(host);
                if (evicted.isEmpty() || !shares.tryAcquire(host, 1)) {
                    return Optional.empty();
                }
            }
        }
        Duration granted = requested.compareTo(limits.lease()) > 0 ? limits.lease() : requested;
        if (granted.compareTo(RendezvousLimits.LeaseLimits.MIN_LEASE) < 0) {
            granted = RendezvousLimits.LeaseLimits.MIN_LEASE;
        }
        remove(client);
        long now = scheduler.nanoTime();
        leases.put(client, new Lease(groups, host, now, now + granted.toNanos()));
        groups.forEach(
                group -> members.computeIfAbsent(group, id -> new HashSet<>()).add(client));
        return Optional.of(new Grant(granted, known == null, evicted));
    }

    /** Ends the lease of the largest host that was renewed the longest time ago, if the other host has less than its share. */
    private Optional<PeerId> evictFor(String host) {
        String largest = shares.largestHost().orElse(host);
        if (largest.equals(host) || !shares.isBelowShare(host, 1)) {
            return Optional.empty();
        }
        long now = scheduler.nanoTime();
        Optional<PeerId> oldest = leases.entrySet().stream()
                .filter(lease -> lease.getValue().host().equals(largest))
                .min(Comparator.comparingLong(lease -> lease.getValue().renewedNanos() - now))
                .map(Map.Entry::getKey);
        oldest.ifPresent(this::end);
        return oldest;
    }

    synchronized void end(PeerId client) {
        Lease ended = remove(client);
        if (ended != null) {
            shares.release(ended.host(), 1);
        }
    }

    private @Nullable Lease remove(PeerId client) {
        Lease removed = leases.remove(client);
        if (removed != null) {
            removed.groups()
                    .forEach(group -> members.computeIfPresent(group, (id, clients) -> {
                        clients.remove(client);
                        return clients.isEmpty() ? null : clients;
                    }));
        }
        return removed;
    }

    private void expireAtIntervals() {
        long now = scheduler.nanoTime();
        if (lastExpiryNanos == null || now - lastExpiryNanos >= MIN_EXPIRY_INTERVAL.toNanos()) {
            lastExpiryNanos = now;
            expire();
        }
    }

    /** Removes expired leases. */
    synchronized void expire() {
        Set.copyOf(leases.keySet()).forEach(this::live);
    }

    private @Nullable Lease live(PeerId client) {
        Lease lease = leases.get(client);
        if (lease != null && lease.endNanos() - scheduler.nanoTime() <= 0) {
            end(client);
            return null;
        }
        return lease;
    }

    synchronized boolean holds(PeerId client) {
        return live(client) != null;
    }

    /** Returns whether the peer has a lease that names the group. */
    synchronized boolean allows(PeerId client, GroupId group) {
        Lease lease = live(client);
        return lease != null && lease.groups().contains(group);
    }

    synchronized Set<PeerId> clients() {
        expire();
        return Set.copyOf(leases.keySet());
    }

    synchronized Set<PeerId> clientsIn(GroupId group) {
        long now = scheduler.nanoTime();
        return members.getOrDefault(group, Set.of()).stream()
                .filter(client -> {
                    Lease lease = leases.get(client);
                    return lease != null && lease.endNanos() - now > 0;
                })
                .collect(Collectors.toUnmodifiableSet());
    }
}

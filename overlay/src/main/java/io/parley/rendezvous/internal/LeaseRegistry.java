package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The clients of a rendezvous, and the groups of each. Thread-safe. */
final class LeaseRegistry {

    /**
     * A lease that was granted.
     *
     * @param fresh whether the client had none
     */
    record Grant(Duration duration, boolean fresh) {}

    private record Lease(Set<GroupId> groups, long endNanos) {}

    private final RendezvousLimits.LeaseLimits limits;
    private final Scheduler scheduler;
    private final Map<PeerId, Lease> leases = new HashMap<>();
    private final Map<GroupId, Set<PeerId>> members = new HashMap<>();

    LeaseRegistry(RendezvousLimits.LeaseLimits limits, Scheduler scheduler) {
        this.limits = limits;
        this.scheduler = scheduler;
    }

    /** Grants or renews a lease; empty if there are already as many clients as the limits allow. */
    synchronized Optional<Grant> grant(PeerId client, Set<GroupId> groups, Duration requested) {
        boolean fresh = live(client) == null;
        if (fresh && leases.size() >= limits.maxClients()) {
            expire();
            if (leases.size() >= limits.maxClients()) {
                return Optional.empty();
            }
        }
        Duration granted = requested.compareTo(limits.lease()) > 0 ? limits.lease() : requested;
        if (granted.compareTo(RendezvousLimits.LeaseLimits.MIN_LEASE) < 0) {
            granted = RendezvousLimits.LeaseLimits.MIN_LEASE;
        }
        end(client);
        leases.put(client, new Lease(groups, scheduler.nanoTime() + granted.toNanos()));
        groups.forEach(
                group -> members.computeIfAbsent(group, id -> new HashSet<>()).add(client));
        return Optional.of(new Grant(granted, fresh));
    }

    synchronized void end(PeerId client) {
        Lease ended = leases.remove(client);
        if (ended != null) {
            ended.groups()
                    .forEach(group -> members.computeIfPresent(group, (id, clients) -> {
                        clients.remove(client);
                        return clients.isEmpty() ? null : clients;
                    }));
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

package io.parley.rendezvous.internal;

import static io.parley.rendezvous.RendezvousLimits.LeaseLimits.MIN_LEASE;

import io.parley.common.Scheduler;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.RendezvousStatus;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires and renews the lease of a client. After a lease is lost or refused, it tries all known rendezvous in turn, with
 * growing delays between the rounds. Thread-safe. Calls no other component while it holds its lock, except {@link LeaseOutage}
 * and the scheduler.
 */
final class LeaseClient implements PeerConnectionListener {

    private static final Logger log = LoggerFactory.getLogger(LeaseClient.class);

    /** The number of referrals that the first request for a lease asks for. */
    private static final int FIRST_REFERRALS = 8;

    /** The number of referrals that each renewal asks for. */
    private static final int RENEWAL_REFERRALS = 1;

    private final RendezvousContext context;
    private final RendezvousCandidates candidates;
    private final PeerViewEntryFactory entryFactory;
    private final Consumer<PeerId> onFresh;
    private final LeaseOutage outage;

    private final Set<GroupId> groups = new HashSet<>();
    private final Map<GroupId, CompletableFuture<Void>> joining = new HashMap<>();

    /** Increases with each change of {@link #groups}. */
    private long groupsVersion;

    /**
     * The number of the current search or lease. It increases when a search begins and when a search ends with a lease, so
     * responses to an earlier search or lease are recognized. It stays the same while a lease lasts.
     */
    private long sequence;

    /** The search in which the candidates were tried once more. */
    private long referralsUsedIn = -1;

    private @Nullable PeerId rendezvous;
    private boolean renewing;
    private Duration backoff;
    private Scheduler.Timer timer = () -> {};
    private boolean closed;

    /** @param onFresh receives each rendezvous that has granted a lease and knows nothing of this peer yet */
    LeaseClient(
            RendezvousContext context,
            RendezvousCandidates candidates,
            PeerViewEntryFactory entryFactory,
            Consumer<PeerId> onFresh) {
        this.context = context;
        this.candidates = candidates;
        this.entryFactory = entryFactory;
        this.onFresh = onFresh;
        this.outage = new LeaseOutage(
                context.scheduler(),
                candidates.seedAddresses(),
                context.limits().requestTimeout());
        this.backoff = context.limits().lease().minBackoff();
    }

    /** Returns the rendezvous that has granted the lease. */
    synchronized Optional<PeerId> rendezvous() {
        return Optional.ofNullable(rendezvous);
    }

    RendezvousStatus status() {
        return outage.status(rendezvous().stream().collect(Collectors.toUnmodifiableSet()));
    }

    /** Starts the search for a rendezvous. */
    void start() {
        search(null);
    }

    private void search(@Nullable PeerId lost) {
        long number;
        synchronized (this) {
            if (closed || rendezvous != null) {
                return;
            }
            number = ++sequence;
            timer.cancel();
        }
        tryNext(number, candidates.round(lost).iterator());
    }

    private synchronized boolean isCurrent(long number) {
        return !closed && sequence == number;
    }

    private void tryNext(long number, Iterator<Seed> remaining) {
        if (!remaining.hasNext()) {
            scheduleSearch(number);
            return;
        }
        Seed seed = remaining.next();
        context.within(context.limits().requestTimeout(), seed.resolve(context.endpoint()))
                .whenComplete((peer, failure) -> {
                    if (failure != null) {
                        onCandidateFailed(number, remaining, toParleyException(failure));
                    } else if (peer.equals(context.self())) {
                        onCandidateFailed(
                                number,
                                remaining,
                                ErrorCode.IDENTITY_REFUSED.exception(
                                        "rendezvous at " + seed + ": this peer itself listens there"));
                    } else {
                        candidates.identified(seed, peer);
                        request(number, peer, remaining);
                    }
                });
    }

    private static ParleyException toParleyException(Throwable failure) {
        return Throwables.toParleyException(failure, ErrorCode.UNREACHABLE);
    }

    private void onCandidateFailed(long number, Iterator<Seed> remaining, ParleyException cause) {
        if (isCurrent(number)) {
            outage.onFailure(cause);
            context.execute(() -> tryNext(number, remaining));
        }
    }

    private void request(long number, PeerId peer, Iterator<Seed> remaining) {
        long version;
        LeaseRequest request;
        synchronized (this) {
            if (!isCurrent(number)) {
                return;
            }
            version = groupsVersion;
            request = new LeaseRequest(context.limits().lease().lease(), groups, FIRST_REFERRALS);
        }
        // The short timeout is for the case that another one can grant the lease instead.
        RendezvousLimits limits = context.limits();
        query(peer, request, remaining.hasNext() ? limits.hopTimeout() : limits.requestTimeout())
                .whenComplete((response, failure) -> {
                    if (failure != null) {
                        log.debug("Cannot acquire a lease from rendezvous {}: {}", peer, failure.getMessage());
                        candidates.remove(peer);
                        onCandidateFailed(number, remaining, toParleyException(failure));
                    } else {
                        response.referrals().forEach(referral -> addReferral(peer, referral));
                        if (response.isGranted()) {
                            onGranted(number, peer, response, version, request.groups());
                        } else {
                            onCandidateFailed(number, withReferrals(peer, remaining), full(peer));
                        }
                    }
                });
    }

    private static ParleyException full(PeerId rendezvous) {
        return ErrorCode.BUSY.exception("rendezvous " + rendezvous + ": it has as many clients as it accepts");
    }

    /** Returns the remaining candidates or, if there are none, all except the full one, including those that it has named. */
    private Iterator<Seed> withReferrals(PeerId full, Iterator<Seed> remaining) {
        if (remaining.hasNext()) {
            return remaining;
        }
        synchronized (this) {
            if (referralsUsedIn == sequence) {
                return remaining; // at most once per search, because all may be full
            }
            referralsUsedIn = sequence;
        }
        return candidates.others(full).iterator();
    }

    private CompletableFuture<LeaseResponse> query(PeerId peer, LeaseRequest request, Duration timeout) {
        return context.query(peer, RendezvousContext.LEASE, request.write(), timeout)
                .thenApplyAsync(LeaseResponse::read, context.executor());
    }

    private void addReferral(PeerId bringer, byte[] referral) {
        entryFactory.verify(referral).ifPresent(entry -> {
            if (!entry.peer().equals(context.self())) {
                candidates.add(bringer, entry.address());
            }
        });
    }

    private void onGranted(
            long number, PeerId peer, LeaseResponse response, long version, Set<GroupId> acknowledgedGroups) {
        long leaseNumber = number + 1;
        Optional<Duration> offline = Optional.empty();
        boolean late;
        synchronized (this) {
            late = !isCurrent(number);
            if (!late) {
                rendezvous = peer;
                sequence = leaseNumber;
                backoff = context.limits().lease().minBackoff();
                offline = outage.onAcquired();
            }
        }
        if (late) {
            release(peer);
            return;
        }
        context.metrics().increment(Counter.LEASES_ACQUIRED);
        offline.ifPresentOrElse(
                time -> log.info("Acquired a lease from rendezvous {} after {} offline", peer, time),
                () -> log.debug("Acquired a lease from rendezvous {}", peer));
        acknowledge(leaseNumber, response, version, acknowledgedGroups);
        onFresh.accept(peer);
        if (!context.endpoint().isConnected(peer)) {
            // The disconnect may have come before rendezvous was set. Then onDisconnected has ignored it.
            lose(leaseNumber, disconnected(peer));
        }
    }

    /** Records the groups that the rendezvous knows now; returns false if the lease is over. */
    private boolean acknowledge(
            long leaseNumber, LeaseResponse response, long version, Set<GroupId> acknowledgedGroups) {
        List<CompletableFuture<Void>> joined = new ArrayList<>();
        boolean changed;
        synchronized (this) {
            if (!isHeld(leaseNumber)) {
                return false;
            }
            acknowledgedGroups.forEach(group -> {
                CompletableFuture<Void> waiting = joining.remove(group);
                if (waiting != null) {
                    joined.add(waiting);
                }
            });
            changed = version != groupsVersion;
            // The minimum is also that of a rendezvous which grants less: its clients would do nothing but renew.
            Duration granted = response.granted();
            scheduleRenewal((granted.compareTo(MIN_LEASE) < 0 ? MIN_LEASE : granted).dividedBy(3));
        }
        joined.forEach(waiting -> waiting.complete(null));
        if (changed) {
            renew();
        }
        return true;
    }

    /** The caller must hold the lock. */
    private boolean isHeld(long leaseNumber) {
        return rendezvous != null && isCurrent(leaseNumber);
    }

    /** Renews the lease, and sends the present groups to the rendezvous. */
    void renew() {
        PeerId peer;
        long leaseNumber;
        long version;
        LeaseRequest request;
        synchronized (this) {
            peer = rendezvous;
            leaseNumber = sequence;
            if (closed || renewing || peer == null) {
                return;
            }
            renewing = true;
            version = groupsVersion;
            request = new LeaseRequest(context.limits().lease().lease(), groups, RENEWAL_REFERRALS);
        }
        PeerId granter = peer;
        query(granter, request, context.limits().requestTimeout()).whenComplete((response, failure) -> {
            if (failure != null && RendezvousContext.isBusy(failure)) {
                onBusy(leaseNumber);
            } else if (failure != null) {
                lose(leaseNumber, toParleyException(failure));
            } else if (!response.isGranted()) {
                response.referrals().forEach(referral -> addReferral(granter, referral));
                lose(leaseNumber, full(granter));
            } else {
                response.referrals().forEach(referral -> addReferral(granter, referral));
                if (acknowledge(leaseNumber, response, version, request.groups()) && response.fresh()) {
                    onFresh.accept(granter);
                }
            }
        });
    }

    /** Retries the renewal later. If the lease expires meanwhile, the next renewal obtains a new lease. */
    private synchronized void onBusy(long leaseNumber) {
        if (isHeld(leaseNumber)) {
            scheduleRenewal(context.limits().lease().renewInterval());
        }
    }

    private void scheduleRenewal(Duration delay) {
        renewing = false;
        Duration maxDelay = context.limits().lease().renewInterval();
        timer.cancel();
        timer = context.schedule(delay.compareTo(maxDelay) < 0 ? delay : maxDelay, this::renew);
    }

    private void lose(long leaseNumber, ParleyException cause) {
        PeerId peer;
        synchronized (this) {
            peer = rendezvous;
            if (peer == null || !isHeld(leaseNumber)) {
                return;
            }
            rendezvous = null;
            renewing = false;
            timer.cancel();
            groups.forEach(group -> joining.computeIfAbsent(group, id -> new CompletableFuture<>()));
            outage.onLost(cause);
        }
        context.metrics().increment(Counter.LEASES_LOST);
        log.debug("Lost the lease with rendezvous {}: {}", peer, cause.getMessage());
        PeerId lost = peer;
        context.execute(() -> search(lost));
    }

    private void scheduleSearch(long number) {
        synchronized (this) {
            if (!isCurrent(number)) {
                return;
            }
            Duration maxBackoff = context.limits().lease().maxBackoff();
            long nanos = (backoff.compareTo(maxBackoff) < 0 ? backoff : maxBackoff).toNanos();
            backoff = Duration.ofNanos(Math.min(2 * nanos, maxBackoff.toNanos()));
            long jittered = nanos / 2 + context.scheduler().random().nextLong(nanos / 2 + 1);
            timer = context.schedule(Duration.ofNanos(jittered), () -> search(null));
        }
        outage.onAllFailed();
    }

    @Override
    public void onDisconnected(PeerId peer) {
        long leaseNumber;
        synchronized (this) {
            if (!peer.equals(rendezvous)) {
                return;
            }
            leaseNumber = sequence;
        }
        lose(leaseNumber, disconnected(peer));
    }

    private static ParleyException disconnected(PeerId rendezvous) {
        return ErrorCode.UNREACHABLE.exception("rendezvous " + rendezvous + ": the connection was lost");
    }

    /**
     * Adds a group.
     *
     * @return a future that completes when the rendezvous knows that this peer is in the group, immediately if it does
     */
    CompletableFuture<Void> join(GroupId group) {
        CompletableFuture<Void> joined;
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(RendezvousContext.closedException());
            }
            if (groups.contains(group)) {
                return whenAcknowledged(group);
            }
            if (groups.size() >= context.limits().lease().maxGroups()) {
                return CompletableFuture.failedFuture(ErrorCode.LOCAL_LIMIT.exception("groups: " + groups.size()
                        + " (expected: < maxGroups " + context.limits().lease().maxGroups() + ")"));
            }
            groups.add(group);
            groupsVersion++;
            joined = joining.computeIfAbsent(group, id -> new CompletableFuture<>());
        }
        renew();
        return joined.copy();
    }

    /**
     * Returns a future that completes when the rendezvous knows that this peer is in the group. It is complete for groups that
     * this peer is not in, because the rendezvous will never know them.
     */
    synchronized CompletableFuture<Void> whenAcknowledged(GroupId group) {
        CompletableFuture<Void> waiting = joining.get(group);
        return waiting == null ? CompletableFuture.completedFuture(null) : waiting.copy();
    }

    void leave(GroupId group) {
        CompletableFuture<Void> waiting;
        synchronized (this) {
            if (!groups.remove(group)) {
                return;
            }
            groupsVersion++;
            waiting = joining.remove(group);
        }
        if (waiting != null) {
            waiting.completeExceptionally(ErrorCode.CLOSED.exception("group " + group + " was left"));
        }
        renew();
    }

    synchronized boolean isMember(GroupId group) {
        return groups.contains(group);
    }

    /** Gives the lease back. The future completes when the rendezvous has acknowledged that or cannot be reached. */
    CompletableFuture<Void> close() {
        PeerId peer;
        List<CompletableFuture<Void>> waiting;
        synchronized (this) {
            closed = true;
            timer.cancel();
            peer = rendezvous;
            rendezvous = null;
            if (peer != null) {
                outage.onLost(null);
            }
            waiting = List.copyOf(joining.values());
            joining.clear();
        }
        waiting.forEach(future -> future.completeExceptionally(RendezvousContext.closedException()));
        return peer == null ? CompletableFuture.completedFuture(null) : release(peer);
    }

    private CompletableFuture<Void> release(PeerId peer) {
        return context.query(
                        peer,
                        RendezvousContext.LEASE,
                        LeaseRequest.release().write(),
                        context.limits().hopTimeout())
                .handle((response, failure) -> null);
    }
}

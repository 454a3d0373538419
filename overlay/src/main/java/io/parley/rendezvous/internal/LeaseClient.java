package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
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
 * Keeps a client leased with one rendezvous: renews, and when that one is lost or has enough, tries all others it knows,
 * one after the other, with growing pauses between the rounds. Thread-safe; it never calls others while it holds its lock.
 */
final class LeaseClient implements PeerConnectionListener {

    private static final Logger log = LoggerFactory.getLogger(LeaseClient.class);

    /** Others it likes to know from the beginning, and then with each renewal. */
    private static final int FIRST_REFERRALS = 8;

    private static final int MORE_REFERRALS = 1;

    private final RendezvousContext overlay;
    private final RendezvousCandidates candidates;
    private final PeerViewEntryFactory documents;
    private final Consumer<PeerId> onFresh;
    private final LeaseOutage outage;

    private final Set<GroupId> groups = new HashSet<>();
    private final Map<GroupId, CompletableFuture<Void>> joining = new HashMap<>();

    /** Grows with each change of {@link #groups}. */
    private long groupsVersion;

    /**
     * Grows with each search and its end, so that what belongs to an earlier one is known as such. As long as a lease lasts it
     * stays the same, and so is the lease's number as well.
     */
    private long search;

    private @Nullable PeerId rendezvous;
    private boolean renewing;
    private Duration backoff;
    private Scheduler.Timer timer = () -> {};
    private boolean closed;

    /** @param onFresh is told which rendezvous has granted a lease and knows nothing of this peer yet */
    LeaseClient(
            RendezvousContext overlay,
            RendezvousCandidates candidates,
            PeerViewEntryFactory documents,
            Consumer<PeerId> onFresh) {
        this.overlay = overlay;
        this.candidates = candidates;
        this.documents = documents;
        this.onFresh = onFresh;
        this.outage = new LeaseOutage(overlay.scheduler(), candidates.seedAddresses());
        this.backoff = overlay.limits().lease().minBackoff();
    }

    synchronized Optional<PeerId> rendezvous() {
        return Optional.ofNullable(rendezvous);
    }

    RendezvousStatus status() {
        return outage.status(rendezvous().stream().collect(Collectors.toUnmodifiableSet()));
    }

    /** Looks for a rendezvous. */
    void start() {
        seek(null);
    }

    private void seek(@Nullable PeerId lost) {
        long number;
        synchronized (this) {
            if (closed || rendezvous != null) {
                return;
            }
            number = ++search;
            timer.cancel();
        }
        tryNext(number, candidates.round(lost).iterator());
    }

    private void tryNext(long number, Iterator<Seed> left) {
        if (!left.hasNext()) {
            pause(number);
            return;
        }
        Seed seed = left.next();
        overlay.within(overlay.limits().requestTimeout(), seed.resolve(overlay.endpoint()))
                .whenComplete((peer, failure) -> {
                    if (failure != null) {
                        goOn(number, left, failure(failure));
                    } else if (peer.equals(overlay.self())) {
                        goOn(
                                number,
                                left,
                                ErrorCode.IDENTITY_REFUSED.exception(
                                        "rendezvous at " + seed + ": this peer itself listens there"));
                    } else {
                        candidates.identified(seed, peer);
                        request(number, peer, left);
                    }
                });
    }

    private static ParleyException failure(Throwable failure) {
        return Throwables.toParleyException(failure, ErrorCode.UNREACHABLE);
    }

    private void goOn(long number, Iterator<Seed> left, ParleyException cause) {
        synchronized (this) {
            if (closed || search != number) {
                return;
            }
        }
        outage.onFailure(cause);
        overlay.execute(() -> tryNext(number, left));
    }

    private void request(long number, PeerId peer, Iterator<Seed> left) {
        long version;
        LeaseRequest request;
        synchronized (this) {
            if (closed || search != number) {
                return;
            }
            version = groupsVersion;
            request = new LeaseRequest(overlay.limits().lease().lease(), groups, FIRST_REFERRALS);
        }
        ask(peer, request, overlay.limits().hopTimeout()).whenComplete((reply, failure) -> {
            if (failure != null) {
                log.debug("No lease with {}: {}", peer, failure.getMessage());
                candidates.forget(peer);
                goOn(number, left, failure(failure));
            } else {
                reply.referrals().forEach(this::learn);
                if (reply.isGranted()) {
                    granted(number, peer, reply, version, request.groups());
                } else {
                    goOn(number, redirected(peer, left), full(peer));
                }
            }
        });
    }

    private static ParleyException full(PeerId rendezvous) {
        return ErrorCode.BUSY.exception("rendezvous " + rendezvous + ": it has as many clients as it accepts");
    }

    /** Those that a full one has named are tried as well, unless they are among the rest anyway. */
    private Iterator<Seed> redirected(PeerId full, Iterator<Seed> left) {
        if (left.hasNext()) {
            return left;
        }
        synchronized (this) {
            if (redirectedIn == search) {
                return left; // once in a round is enough, as all may be full
            }
            redirectedIn = search;
        }
        return candidates.others(full).iterator();
    }

    /** The search in which the candidates were tried once more; guarded by this. */
    private long redirectedIn = -1;

    private CompletableFuture<LeaseResponse> ask(PeerId peer, LeaseRequest request, Duration timeout) {
        return overlay.ask(peer, RendezvousContext.LEASE, request.write(), timeout)
                .thenApplyAsync(LeaseResponse::read, overlay.executor());
    }

    private void learn(byte[] referral) {
        documents.verify(referral).ifPresent(member -> {
            if (!member.peer().equals(overlay.self())) {
                candidates.add(member.address());
            }
        });
    }

    private void granted(long number, PeerId peer, LeaseResponse reply, long version, Set<GroupId> told) {
        long lease = number + 1;
        Optional<Duration> offline = Optional.empty();
        boolean late;
        synchronized (this) {
            late = closed || search != number;
            if (!late) {
                rendezvous = peer;
                search = lease;
                backoff = overlay.limits().lease().minBackoff();
                offline = outage.onAcquired();
            }
        }
        if (late) {
            giveBack(peer);
            return;
        }
        overlay.metrics().increment(Counter.LEASES_ACQUIRED);
        offline.ifPresentOrElse(
                time -> log.info("Acquired a lease from rendezvous {} after {} offline", peer, time),
                () -> log.debug("Acquired a lease from rendezvous {}", peer));
        acknowledged(lease, reply, version, told);
        onFresh.accept(peer);
        if (!overlay.endpoint().connectedPeers().contains(peer)) {
            lose(lease, disconnected(peer)); // just before that would have been heard
        }
    }

    /** A rendezvous knows these groups now; false when that lease is over. */
    private boolean acknowledged(long lease, LeaseResponse reply, long version, Set<GroupId> told) {
        List<CompletableFuture<Void>> joined = new ArrayList<>();
        boolean changed;
        synchronized (this) {
            if (!isHeld(lease)) {
                return false;
            }
            told.forEach(group -> {
                CompletableFuture<Void> waiting = joining.remove(group);
                if (waiting != null) {
                    joined.add(waiting);
                }
            });
            changed = version != groupsVersion;
            scheduleRenewal(reply.granted().dividedBy(3));
        }
        joined.forEach(waiting -> waiting.complete(null));
        if (changed) {
            renew();
        }
        return true;
    }

    /** With the lock held. */
    private boolean isHeld(long lease) {
        return !closed && rendezvous != null && search == lease;
    }

    /** Also tells the rendezvous which groups there are now. */
    void renew() {
        PeerId peer;
        long lease;
        long version;
        LeaseRequest request;
        synchronized (this) {
            peer = rendezvous;
            lease = search;
            if (closed || renewing || peer == null) {
                return;
            }
            renewing = true;
            version = groupsVersion;
            request = new LeaseRequest(overlay.limits().lease().lease(), groups, MORE_REFERRALS);
        }
        PeerId asked = peer;
        ask(asked, request, overlay.limits().requestTimeout()).whenComplete((reply, failure) -> {
            if (failure != null && RendezvousContext.isBusy(failure)) {
                retryLater(lease);
            } else if (failure != null) {
                lose(lease, failure(failure));
            } else if (!reply.isGranted()) {
                reply.referrals().forEach(this::learn);
                lose(lease, full(asked));
            } else {
                reply.referrals().forEach(this::learn);
                if (acknowledged(lease, reply, version, request.groups()) && reply.fresh()) {
                    onFresh.accept(asked);
                }
            }
        });
    }

    /** The rendezvous is there, but has much to do. When it takes longer than the lease, the next one is a fresh one. */
    private synchronized void retryLater(long lease) {
        if (isHeld(lease)) {
            scheduleRenewal(overlay.limits().lease().renewInterval());
        }
    }

    private void scheduleRenewal(Duration wait) {
        renewing = false;
        Duration most = overlay.limits().lease().renewInterval();
        timer.cancel();
        timer = overlay.scheduler()
                .schedule(wait.compareTo(most) < 0 ? wait : most, () -> overlay.execute(this::renew));
    }

    private void lose(long lease, ParleyException cause) {
        PeerId peer;
        synchronized (this) {
            peer = rendezvous;
            if (peer == null || !isHeld(lease)) {
                return;
            }
            rendezvous = null;
            renewing = false;
            timer.cancel();
            outage.onLost(cause);
        }
        overlay.metrics().increment(Counter.LEASES_LOST);
        log.debug("Lost the lease with rendezvous {}: {}", peer, cause.getMessage());
        PeerId lost = peer;
        overlay.execute(() -> seek(lost));
    }

    private void pause(long number) {
        synchronized (this) {
            if (closed || search != number) {
                return;
            }
            Duration most = overlay.limits().lease().maxBackoff();
            long nanos = (backoff.compareTo(most) < 0 ? backoff : most).toNanos();
            backoff = Duration.ofNanos(Math.min(2 * nanos, most.toNanos()));
            long jittered = nanos / 2 + overlay.scheduler().random().nextLong(nanos / 2 + 1);
            timer = overlay.scheduler().schedule(Duration.ofNanos(jittered), () -> overlay.execute(() -> seek(null)));
        }
        outage.onAllFailed();
    }

    @Override
    public void onDisconnected(PeerId peer) {
        long lease;
        synchronized (this) {
            if (!peer.equals(rendezvous)) {
                return;
            }
            lease = search;
        }
        lose(lease, disconnected(peer));
    }

    private static ParleyException disconnected(PeerId rendezvous) {
        return ErrorCode.UNREACHABLE.exception("rendezvous " + rendezvous + ": the connection was lost");
    }

    /** Completes when the rendezvous knows that this peer is in the group, at once if it does. */
    CompletableFuture<Void> join(GroupId group) {
        CompletableFuture<Void> joined;
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(closedException());
            }
            if (groups.contains(group)) {
                return acknowledgement(group);
            }
            if (groups.size() >= overlay.limits().lease().maxGroups()) {
                return CompletableFuture.failedFuture(ErrorCode.LOCAL_LIMIT.exception("groups: " + groups.size()
                        + " (expected: <= maxGroups " + overlay.limits().lease().maxGroups() + ")"));
            }
            groups.add(group);
            groupsVersion++;
            joined = joining.computeIfAbsent(group, id -> new CompletableFuture<>());
        }
        renew();
        return joined.copy();
    }

    /** Completes when the rendezvous knows it; at once for groups that this peer is not in, of which it never will. */
    synchronized CompletableFuture<Void> acknowledgement(GroupId group) {
        CompletableFuture<Void> waiting = joining.get(group);
        return waiting == null ? CompletableFuture.completedFuture(null) : waiting.copy();
    }

    void leave(GroupId group) {
        CompletableFuture<Void> given;
        synchronized (this) {
            if (!groups.remove(group)) {
                return;
            }
            groupsVersion++;
            given = joining.remove(group);
        }
        if (given != null) {
            given.completeExceptionally(ErrorCode.CLOSED.exception("group " + group + " was left"));
        }
        renew();
    }

    synchronized boolean isIn(GroupId group) {
        return groups.contains(group);
    }

    /** Gives the lease back; completes when that is said, or can't be. */
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
        waiting.forEach(future -> future.completeExceptionally(closedException()));
        return peer == null ? CompletableFuture.completedFuture(null) : giveBack(peer);
    }

    private CompletableFuture<Void> giveBack(PeerId peer) {
        return overlay.ask(
                        peer,
                        RendezvousContext.LEASE,
                        LeaseRequest.back().write(),
                        overlay.limits().hopTimeout())
                .handle((answer, failure) -> null);
    }

    private static RuntimeException closedException() {
        return ErrorCode.CLOSED.exception("the rendezvous service is closed");
    }
}

package io.parley.rendezvous.internal;

import io.parley.common.internal.KeyedRateLimiter;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A rendezvous tells its clients in the group, and, unless one of them has brought it, all other rendezvous. */
final class ServerForwarder implements GroupMessageForwarder {

    private static final int MANY = 20;

    private final RendezvousContext overlay;
    private final LeaseRegistry leases;
    private final PeerView view;
    private final Set<GroupId> groups = ConcurrentHashMap.newKeySet();
    private final KeyedRateLimiter<PeerId> clientRates;
    private final KeyedRateLimiter<PeerId> memberRates;

    ServerForwarder(RendezvousContext overlay, LeaseRegistry leases, PeerView view) {
        this.overlay = overlay;
        this.leases = leases;
        this.view = view;
        long perSecond = overlay.limits().propagation().messagesPerSecond();
        this.clientRates = new KeyedRateLimiter<>(
                perSecond, MANY * perSecond, overlay.limits().lease().maxClients() + 1, overlay.scheduler());
        this.memberRates = new KeyedRateLimiter<>(
                MANY * perSecond, MANY * perSecond, overlay.limits().peerView().maxRendezvous(), overlay.scheduler());
    }

    void join(GroupId group) {
        groups.add(group);
    }

    void leave(GroupId group) {
        groups.remove(group);
    }

    @Override
    public boolean isIn(GroupId group) {
        return groups.contains(group);
    }

    /** A client says only what is its own. */
    @Override
    public Verdict judge(PeerId from, SignedGroupMessage said) {
        if (leases.allows(from, said.group())) {
            if (!said.sender().peer().equals(from)) {
                return Verdict.UNAUTHORIZED;
            }
            return clientRates.tryAcquire(from, 1) ? Verdict.ACCEPT : Verdict.THROTTLE;
        }
        if (view.contains(from)) {
            return memberRates.tryAcquire(from, 1) ? Verdict.ACCEPT : Verdict.THROTTLE;
        }
        return Verdict.UNAUTHORIZED;
    }

    @Override
    public CompletableFuture<Void> pass(SignedGroupMessage said, @Nullable PeerId from, int ttl) {
        if (ttl > 1) {
            send(view.peers(), GroupMessageRouter.wire(said, ttl - 1), said, from);
        }
        send(leases.clientsIn(said.group()), GroupMessageRouter.wire(said, 0), said, from);
        return CompletableFuture.completedFuture(null);
    }

    private void send(Set<PeerId> peers, Message message, SignedGroupMessage said, @Nullable PeerId from) {
        for (PeerId peer : peers) {
            if (!peer.equals(from) && !peer.equals(said.sender().peer())) {
                overlay.endpoint()
                        .send(peer, RendezvousContext.SERVICE, message)
                        .whenComplete((sent, failure) -> overlay.metrics()
                                .increment(
                                        failure == null
                                                ? Counter.GROUP_MESSAGES_FORWARDED
                                                : Counter.GROUP_MESSAGES_THROTTLED));
            }
        }
    }
}

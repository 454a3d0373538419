package io.parley.rendezvous.internal;

import io.parley.common.internal.KeyedRateLimiter;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.internal.RemoteRateLimiter;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The part of a rendezvous in group messages: forwards them to its clients in the group, and those of its clients to all other
 * rendezvous.
 */
final class ServerForwarder implements GroupMessageForwarder {

    /** The rate of all clients together, and of another rendezvous, as a multiple of the rate of one client. */
    private static final int TOTAL_RATE_FACTOR = 20;

    /**
     * The rate of all other rendezvous, as a multiple of the rate of one. One must not use up that of all; many must not take the
     * processor, since the signature of each message is verified.
     */
    private static final int RENDEZVOUS_RATE_FACTOR = 4;

    private final RendezvousContext context;
    private final LeaseRegistry leases;
    private final PeerView view;
    private final Set<GroupId> groups = ConcurrentHashMap.newKeySet();
    private final RemoteRateLimiter clientRates;
    private final KeyedRateLimiter<PeerId> rendezvousRates;

    ServerForwarder(RendezvousContext context, LeaseRegistry leases, PeerView view) {
        this.context = context;
        this.leases = leases;
        this.view = view;
        long perSecond = context.limits().propagation().messagesPerSecond();
        this.clientRates = context.rateLimiter(
                "group messages",
                "messagesPerSecond",
                perSecond,
                TOTAL_RATE_FACTOR * perSecond,
                context.limits().lease().maxClients() + 1);
        this.rendezvousRates = new KeyedRateLimiter<>(
                TOTAL_RATE_FACTOR * perSecond,
                RENDEZVOUS_RATE_FACTOR * TOTAL_RATE_FACTOR * perSecond,
                context.limits().peerView().maxRendezvous(),
                context.scheduler());
    }

    void join(GroupId group) {
        groups.add(group);
    }

    void leave(GroupId group) {
        groups.remove(group);
    }

    @Override
    public boolean isMember(GroupId group) {
        return groups.contains(group);
    }

    /** A client may send only messages that it has signed itself. */
    @Override
    public Verdict check(PeerId from, SignedGroupMessage message) {
        if (leases.allows(from, message.group())) {
            if (!message.sender().peer().equals(from)) {
                return Verdict.UNAUTHORIZED;
            }
            return clientRates.acquire(from, 1).isEmpty() ? Verdict.ACCEPT : Verdict.THROTTLE;
        }
        if (view.contains(from)) {
            return rendezvousRates.tryAcquire(from, 1) ? Verdict.ACCEPT : Verdict.THROTTLE;
        }
        return Verdict.UNAUTHORIZED;
    }

    @Override
    public CompletableFuture<Void> forward(SignedGroupMessage message, @Nullable PeerId from, int ttl) {
        if (ttl > 1) {
            send(view.peers(), GroupMessageRouter.encode(message, ttl - 1), message, from);
        }
        send(leases.clientsIn(message.group()), GroupMessageRouter.encode(message, 0), message, from);
        return CompletableFuture.completedFuture(null);
    }

    private void send(Set<PeerId> peers, Message encoded, SignedGroupMessage message, @Nullable PeerId from) {
        for (PeerId peer : peers) {
            if (!peer.equals(from) && !peer.equals(message.sender().peer())) {
                context.endpoint()
                        .send(peer, RendezvousContext.SERVICE, encoded)
                        .whenComplete((sent, failure) -> context.metrics()
                                .increment(
                                        failure == null
                                                ? Counter.GROUP_MESSAGES_FORWARDED
                                                : Counter.GROUP_MESSAGES_THROTTLED));
            }
        }
    }
}

package io.parley.rendezvous.internal;

import io.parley.common.internal.KeyedRateLimiter;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The part of a client in group messages: sends its own to its rendezvous and accepts those of its rendezvous only. */
final class ClientForwarder implements GroupMessageForwarder {

    private final RendezvousContext context;
    private final LeaseClient leaseClient;
    private final KeyedRateLimiter<PeerId> rates;

    ClientForwarder(RendezvousContext context, LeaseClient leaseClient) {
        this.context = context;
        this.leaseClient = leaseClient;
        int perSecond = context.limits().propagation().messagesPerSecond();
        this.rates = new KeyedRateLimiter<>(perSecond, perSecond, 1, context.scheduler());
    }

    @Override
    public Verdict check(PeerId from, SignedGroupMessage message) {
        return leaseClient.rendezvous().filter(from::equals).isPresent() && isMember(message.group())
                ? Verdict.ACCEPT
                : Verdict.UNAUTHORIZED;
    }

    @Override
    public boolean isMember(GroupId group) {
        return leaseClient.isMember(group);
    }

    @Override
    public CompletableFuture<Void> forward(SignedGroupMessage message, @Nullable PeerId from, int ttl) {
        if (from != null) {
            return CompletableFuture.completedFuture(null);
        }
        if (leaseClient.rendezvous().isEmpty()) {
            return unreachable();
        }
        if (!rates.tryAcquire(context.self(), 1)) {
            context.metrics().increment(Counter.GROUP_MESSAGES_THROTTLED);
            return CompletableFuture.failedFuture(ErrorCode.BUSY.exception("group messages of this peer: rate exceeded"
                    + " (expected: <= " + context.limits().propagation().messagesPerSecond() + " per second)"));
        }
        return context.within(context.limits().requestTimeout(), leaseClient.whenAcknowledged(message.group()))
                .thenCompose(acknowledged -> send(message, ttl));
    }

    /** Sends to the present rendezvous, which may be another one than before the wait. */
    private CompletableFuture<Void> send(SignedGroupMessage message, int ttl) {
        return leaseClient
                .rendezvous()
                .map(rendezvous -> context.endpoint()
                        .send(rendezvous, RendezvousContext.SERVICE, GroupMessageRouter.encode(message, ttl)))
                .orElseGet(ClientForwarder::unreachable);
    }

    private static CompletableFuture<Void> unreachable() {
        return CompletableFuture.failedFuture(RendezvousContext.offlineException());
    }
}

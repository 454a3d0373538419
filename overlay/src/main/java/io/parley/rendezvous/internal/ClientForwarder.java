package io.parley.rendezvous.internal;

import io.parley.common.internal.KeyedRateLimiter;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A client tells its rendezvous, and hears from that one alone. */
final class ClientForwarder implements GroupMessageForwarder {

    private final RendezvousContext overlay;
    private final LeaseClient keeper;
    private final KeyedRateLimiter<PeerId> rates;

    ClientForwarder(RendezvousContext overlay, LeaseClient keeper) {
        this.overlay = overlay;
        this.keeper = keeper;
        int perSecond = overlay.limits().propagation().messagesPerSecond();
        this.rates = new KeyedRateLimiter<>(perSecond, perSecond, 1, overlay.scheduler());
    }

    @Override
    public Verdict judge(PeerId from, SignedGroupMessage said) {
        return keeper.rendezvous().filter(from::equals).isPresent() && isIn(said.group())
                ? Verdict.ACCEPT
                : Verdict.UNAUTHORIZED;
    }

    @Override
    public boolean isIn(GroupId group) {
        return keeper.isIn(group);
    }

    @Override
    public CompletableFuture<Void> pass(SignedGroupMessage said, @Nullable PeerId from, int ttl) {
        if (from != null) {
            return CompletableFuture.completedFuture(null);
        }
        if (keeper.rendezvous().isEmpty()) {
            return unreachable();
        }
        if (!rates.tryAcquire(overlay.self(), 1)) {
            overlay.metrics().increment(Counter.GROUP_MESSAGES_THROTTLED);
            return CompletableFuture.failedFuture(ErrorCode.BUSY.exception("more messages to groups than "
                    + overlay.limits().propagation().messagesPerSecond() + " a second"));
        }
        return overlay.within(overlay.limits().requestTimeout(), keeper.acknowledgement(said.group()))
                .thenCompose(known -> tell(said, ttl));
    }

    /** Tells the rendezvous that there is now, which need not be the one from before the wait. */
    private CompletableFuture<Void> tell(SignedGroupMessage said, int ttl) {
        return keeper.rendezvous()
                .map(rendezvous -> overlay.endpoint()
                        .send(rendezvous, RendezvousContext.SERVICE, GroupMessageRouter.wire(said, ttl)))
                .orElseGet(ClientForwarder::unreachable);
    }

    private static CompletableFuture<Void> unreachable() {
        return CompletableFuture.failedFuture(ErrorCode.UNREACHABLE.exception("there is no rendezvous at the moment"));
    }
}

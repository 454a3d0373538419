package io.parley;

import io.parley.group.internal.GroupRegistry;
import io.parley.rendezvous.internal.RendezvousRole;
import io.parley.resolver.internal.MulticastPropagator;
import io.parley.store.internal.AdvertisementStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * What a peer has above its endpoint.
 *
 * @param groups     the groups that it is in
 * @param rendezvous its part in the overlay
 * @param nearby     the network nearby; empty where there is none
 * @param store      its advertisements
 * @param storeExecutor the threads of the store
 */
record PeerOverlay(
        GroupRegistry groups,
        RendezvousRole rendezvous,
        CompletableFuture<Optional<MulticastPropagator>> nearby,
        AdvertisementStore store,
        Executor storeExecutor) {

    /** Leaves the groups, gives the lease back, and closes the rest; each step gets a share of that time. */
    CompletableFuture<Void> close(Duration timeout) {
        long share = timeout.toNanos() / 3;
        return bounded(groups.closeAsync(), share)
                .thenCompose(left -> bounded(rendezvous.closeAsync(), share))
                .thenCompose(left -> bounded(nearby.thenCompose(PeerOverlay::close), share))
                .handleAsync(
                        (left, failure) -> {
                            store.close();
                            return null;
                        },
                        storeExecutor);
    }

    private static CompletableFuture<Void> close(Optional<MulticastPropagator> propagator) {
        return propagator.map(MulticastPropagator::closeAsync).orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    private static CompletableFuture<Void> bounded(CompletableFuture<Void> closing, long nanos) {
        return closing.exceptionally(failure -> null).completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
    }
}

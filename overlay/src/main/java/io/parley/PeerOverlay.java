package io.parley;

import io.parley.common.Scheduler;
import io.parley.group.internal.GroupRegistry;
import io.parley.rendezvous.internal.RendezvousRole;
import io.parley.resolver.internal.MulticastPropagator;
import io.parley.store.internal.AdvertisementStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The parts of a peer above its endpoint.
 *
 * @param groups        the groups that the peer has joined
 * @param rendezvous    its role beyond the local network
 * @param multicast     the local network; empty if there is none
 * @param store         its advertisements
 * @param storeExecutor the threads of the store
 * @param scheduler     the source of time
 * @param metrics       the counters of all layers
 */
record PeerOverlay(
        GroupRegistry groups,
        RendezvousRole rendezvous,
        CompletableFuture<Optional<MulticastPropagator>> multicast,
        AdvertisementStore store,
        Executor storeExecutor,
        Scheduler scheduler,
        PeerMetrics metrics) {

    /** Leaves the groups, returns the lease, and closes the rest. Each step gets a share of the timeout. */
    CompletableFuture<Void> close(Duration timeout) {
        Duration share = timeout.dividedBy(3);
        return bounded(groups.closeAsync(), share)
                .thenCompose(left -> bounded(rendezvous.closeAsync(), share))
                .thenCompose(left -> bounded(multicast.thenCompose(PeerOverlay::close), share))
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

    /** Returns a future that completes normally when {@code closing} is done, or after the timeout. */
    private CompletableFuture<Void> bounded(CompletableFuture<Void> closing, Duration timeout) {
        CompletableFuture<Void> result = closing.exceptionally(failure -> null);
        Scheduler.Timer timer = scheduler.schedule(timeout, () -> result.complete(null));
        result.thenRun(timer::cancel);
        return result;
    }
}

package io.parley.rendezvous.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.internal.IndexPage;
import io.parley.discovery.internal.RemoteIndex;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** The index as a rendezvous itself has it. Thread-safe. */
final class RendezvousIndex implements RemoteIndex {

    private final RendezvousContext overlay;
    private final IndexUpdateHandler desk;
    private final IndexSearcher finder;
    private final AvailabilityNotifier availability;

    RendezvousIndex(RendezvousContext overlay, IndexUpdateHandler desk, IndexSearcher finder, BooleanSupplier open) {
        this.overlay = overlay;
        this.desk = desk;
        this.finder = finder;
        this.availability = new AvailabilityNotifier(open);
    }

    @Override
    public boolean isAvailable() {
        return availability.isAvailable();
    }

    @Override
    public Optional<PeerId> rendezvous() {
        return Optional.of(overlay.self());
    }

    @Override
    public AsyncCloseable onAvailable(Runnable task) {
        return availability.whenAvailable(task);
    }

    @Override
    public CompletableFuture<Void> publish(GroupId group, List<SignedAdvertisement> advertisements) {
        IndexArguments.group(group, advertisements);
        return desk.publish(advertisements);
    }

    @Override
    public CompletableFuture<IndexPage> find(
            GroupId group, DiscoveryQuery query, int offset, int limit, Duration timeout) {
        IndexArguments.page(offset, limit);
        IndexSearchRequest request = new IndexSearchRequest(group, query, offset, limit, false, timeout);
        try {
            return finder.find(overlay.self(), request)
                    .thenApply(reply -> ClientIndex.page(reply, offset, reply.hops() - 1));
        } catch (ParleyException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}

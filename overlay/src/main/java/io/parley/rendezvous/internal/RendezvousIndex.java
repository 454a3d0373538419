package io.parley.rendezvous.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.internal.IndexPage;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** The index as the services of the rendezvous itself use it: without requests to itself. Thread-safe. */
final class RendezvousIndex extends AbstractRemoteIndex {

    private final PeerId self;
    private final IndexUpdateHandler updateHandler;
    private final IndexSearcher searcher;
    private final BooleanSupplier open;

    RendezvousIndex(PeerId self, IndexUpdateHandler updateHandler, IndexSearcher searcher, BooleanSupplier open) {
        this.self = self;
        this.updateHandler = updateHandler;
        this.searcher = searcher;
        this.open = open;
    }

    @Override
    public boolean isAvailable() {
        return open.getAsBoolean();
    }

    @Override
    public Optional<PeerId> rendezvous() {
        return Optional.of(self);
    }

    @Override
    CompletableFuture<Void> doPublish(GroupId group, List<SignedAdvertisement> advertisements) {
        return updateHandler.publish(advertisements);
    }

    @Override
    CompletableFuture<IndexPage> doFind(IndexSearchRequest request) {
        try {
            return searcher.find(self, request)
                    .thenApply(response -> page(response, request.offset(), response.hops() - 1));
        } catch (ParleyException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}

package io.parley.discovery.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Registration;
import io.parley.discovery.DiscoveryQuery;
import io.parley.id.GroupId;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** An index without results that always has a next page. */
final class EndlessIndex implements RemoteIndex {

    @Override
    public boolean isAvailable() {
        return true;
    }

    @Override
    public AsyncCloseable onAvailable(Runnable task) {
        task.run();
        return new Registration(() -> {});
    }

    @Override
    public CompletableFuture<Void> publish(GroupId group, List<SignedAdvertisement> advertisements) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<IndexPage> find(
            GroupId group, DiscoveryQuery query, int offset, int limit, Duration timeout) {
        return CompletableFuture.completedFuture(new IndexPage(List.of(), OptionalInt.of(offset + 1), 1));
    }
}

package io.parley.discovery.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Registration;
import io.parley.discovery.DiscoveryQuery;
import io.parley.id.GroupId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** An available index that never responds. */
final class SilentIndex implements RemoteIndex {

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
        return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<IndexPage> find(
            GroupId group, DiscoveryQuery query, int offset, int limit, Duration timeout) {
        return new CompletableFuture<>();
    }
}

package io.parley.discovery.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Registration;
import io.parley.discovery.DiscoveryQuery;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The index of a peer that has none. */
final class UnavailableIndex implements RemoteIndex {

    @Override
    public boolean isAvailable() {
        return false;
    }

    @Override
    public AsyncCloseable onAvailable(Runnable task) {
        return new Registration(() -> {});
    }

    @Override
    public CompletableFuture<Void> publish(GroupId group, List<SignedAdvertisement> advertisements) {
        return failed();
    }

    @Override
    public CompletableFuture<IndexPage> find(
            GroupId group, DiscoveryQuery query, int offset, int limit, Duration timeout) {
        return failed();
    }

    private static <T> CompletableFuture<T> failed() {
        return CompletableFuture.failedFuture(ErrorCode.UNREACHABLE.exception("this peer uses no index"));
    }
}

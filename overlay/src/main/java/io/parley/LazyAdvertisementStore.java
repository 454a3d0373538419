package io.parley;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.store.StoreMetrics;
import io.parley.store.internal.AdvertisementStore;
import io.parley.store.internal.PutOutcome;
import io.parley.store.internal.StoreEntry;
import io.parley.store.internal.StoreKey;
import io.parley.store.internal.StoreQuery;
import io.parley.store.internal.StoreResult;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * A store that is opened when a peer has started, so that the start does not take longer for it, or when it is used before.
 * Thread-safe.
 */
final class LazyAdvertisementStore implements AdvertisementStore {

    private final Supplier<AdvertisementStore> source;
    private final Executor executor;
    private final CompletableFuture<AdvertisementStore> opening = new CompletableFuture<>();
    private boolean begun;

    /** @param source opens it, on that executor */
    LazyAdvertisementStore(Supplier<AdvertisementStore> source, Executor executor) {
        this.source = source;
        this.executor = executor;
    }

    /**
     * Opens it, unless that is under way. Does not wait. When this has returned the executor has the task, so that what is
     * given to it later, such as closing, may wait for that.
     */
    synchronized CompletableFuture<AdvertisementStore> open() {
        if (!begun) {
            begun = true;
            opening.completeAsync(source, executor);
        }
        return opening;
    }

    /** Never opens it, unless that is under way. */
    private synchronized void forgo() {
        if (!begun) {
            begun = true;
            opening.completeExceptionally(ErrorCode.CLOSED.exception("the store is closed"));
        }
    }

    private AdvertisementStore opened() {
        try {
            return open().join();
        } catch (CompletionException e) {
            throw ParleyException.unchecked(e);
        }
    }

    @Override
    public PutOutcome put(StoreEntry entry) {
        return opened().put(entry);
    }

    @Override
    public CompletableFuture<Void> flush() {
        return open().thenCompose(AdvertisementStore::flush);
    }

    @Override
    public Optional<StoreEntry> get(StoreKey key) {
        return opened().get(key);
    }

    @Override
    public boolean remove(StoreKey key) {
        return opened().remove(key);
    }

    @Override
    public StoreResult find(StoreQuery query, int limit) {
        return opened().find(query, limit);
    }

    @Override
    public long count() {
        return opened().count();
    }

    @Override
    public long sizeBytes() {
        return opened().sizeBytes();
    }

    @Override
    public StoreMetrics metrics() {
        return opened().metrics();
    }

    @Override
    public void close() {
        forgo();
        if (!opening.isCompletedExceptionally()) {
            opened().close();
        }
    }
}

package io.parley;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.store.internal.AdvertisementStore;
import io.parley.store.internal.PutOutcome;
import io.parley.store.internal.StoreEntry;
import io.parley.store.internal.StoreKey;
import io.parley.store.internal.StoreMetrics;
import io.parley.store.internal.StoreQuery;
import io.parley.store.internal.StoreResult;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * A store that is opened after the peer has started, or when it is first used, so that it does not delay the start.
 * Thread-safe. Methods other than {@link #open}, {@link #flush} and {@link #metrics} wait until the store is open.
 */
final class LazyAdvertisementStore implements AdvertisementStore {

    private static final StoreMetrics NOT_OPEN = new StoreMetrics();

    private final Supplier<AdvertisementStore> source;
    private final Executor executor;
    private final CompletableFuture<AdvertisementStore> opening = new CompletableFuture<>();
    private boolean started;

    /** @param source opens the store, on {@code executor} */
    LazyAdvertisementStore(Supplier<AdvertisementStore> source, Executor executor) {
        this.source = source;
        this.executor = executor;
    }

    /**
     * Starts to open the store if that has not been done. Does not wait. When this method returns the executor has the task,
     * so that a later task, such as closing, may wait for it.
     */
    synchronized CompletableFuture<AdvertisementStore> open() {
        if (!started) {
            opening.completeAsync(source, executor);
            started = true; // not before: if the executor fails, the next use opens the store
        }
        return opening;
    }

    /** Prevents the store from being opened, unless that has started. */
    private synchronized void cancelOpening() {
        if (!started) {
            started = true;
            opening.completeExceptionally(ErrorCode.CLOSED.exception("advertisement store: closed"));
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
    public StoreResult findWithoutDocuments(StoreQuery query, int limit) {
        return opened().findWithoutDocuments(query, limit);
    }

    @Override
    public long count() {
        return opened().count();
    }

    @Override
    public long sizeBytes() {
        return opened().sizeBytes();
    }

    /** Returns the counters, all at zero if the store is not open yet. Does not wait. */
    @Override
    public StoreMetrics metrics() {
        boolean open = opening.isDone() && !opening.isCompletedExceptionally();
        return open ? opening.join().metrics() : NOT_OPEN;
    }

    @Override
    public void close() {
        cancelOpening();
        if (!opening.isCompletedExceptionally()) {
            opened().close();
        }
    }
}

package io.parley.discovery.internal;

import io.parley.store.internal.AdvertisementStore;
import io.parley.store.internal.PutOutcome;
import io.parley.store.internal.StoreEntry;
import io.parley.store.internal.StoreKey;
import io.parley.store.internal.StoreMetrics;
import io.parley.store.internal.StoreQuery;
import io.parley.store.internal.StoreResult;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A store that counts its searches and the documents that it has returned. */
final class DocumentCountingStore implements AdvertisementStore {

    private final AdvertisementStore store;
    final AtomicInteger documents = new AtomicInteger();

    /** The number of searches that are done. */
    final AtomicInteger searches = new AtomicInteger();

    DocumentCountingStore(AdvertisementStore store) {
        this.store = store;
    }

    private void count(List<StoreEntry> returned) {
        documents.addAndGet((int)
                returned.stream().filter(entry -> entry.documentBytes() > 0).count());
    }

    @Override
    public PutOutcome put(StoreEntry entry) {
        return store.put(entry);
    }

    @Override
    public CompletableFuture<Void> flush() {
        return store.flush();
    }

    @Override
    public Optional<StoreEntry> get(StoreKey key) {
        Optional<StoreEntry> found = store.get(key);
        count(found.stream().toList());
        return found;
    }

    @Override
    public boolean remove(StoreKey key) {
        return store.remove(key);
    }

    @Override
    public StoreResult find(StoreQuery query, int limit) {
        StoreResult result = store.find(query, limit);
        count(result.entries());
        searches.incrementAndGet();
        return result;
    }

    @Override
    public StoreResult findWithoutDocuments(StoreQuery query, int limit) {
        StoreResult result = store.findWithoutDocuments(query, limit);
        count(result.entries());
        return result;
    }

    @Override
    public long count() {
        return store.count();
    }

    @Override
    public long sizeBytes() {
        return store.sizeBytes();
    }

    @Override
    public StoreMetrics metrics() {
        return store.metrics();
    }

    @Override
    public void close() {
        store.close();
    }
}

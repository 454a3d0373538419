package io.parley.store.internal;

import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.store.StoreLimits;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A bounded cache of documents that searches find by their attributes. Every entry expires and is not returned after its
 * expiration, even if it has not been removed yet. A full store evicts entries of owners with more than an equal share for those of
 * others, and refuses an entry of such an owner: see {@link StoreKey}.
 *
 * <p>Thread-safe. No method fails because its thread was interrupted. All methods except {@link #flush} may read and write the
 * file, so they must not be called on an event loop. A stored entry is visible to all threads immediately.
 *
 * <p>After {@link #close} all other methods fail with {@link ErrorCode#CLOSED}. While the file can be neither used nor replaced
 * (such as on a full disk), they fail with {@link ErrorCode#STORE_UNAVAILABLE}.
 */
public interface AdvertisementStore extends AutoCloseable {

    /**
     * Opens the store in a file, or creates it. Opening reads no entries, so its duration hardly depends on their number. Only the
     * owner can access the file, because its content reveals which peers this peer knows. A lock file has {@code .lock}
     * appended to the name. A file that cannot be read is renamed by appending {@code .damaged-} and a number, reported in the
     * log, and replaced by an empty store.
     *
     * <p>Changes are on disk after about a second, or when {@link #flush} completes. The process may be killed at any time.
     *
     * @param file     the file; missing directories are created, for the owner only
     * @param limits   the limits; if they are lower than before, surplus entries are evicted with the next {@link #put}
     * @param scheduler the source of time
     * @param executor runs the blocking maintenance (writing, purging, compacting); the store does not shut it down
     * @throws ParleyException with {@link ErrorCode#STORE_UNAVAILABLE} if another store, in this process or another, uses the
     *     file, or if it cannot be read or written; the message names it
     */
    static AdvertisementStore open(Path file, StoreLimits limits, Scheduler scheduler, Executor executor) {
        StoreMetrics metrics = new StoreMetrics();
        return TableStore.start(
                new FileTableSource(file, limits, scheduler.clock(), metrics), limits, scheduler, executor, metrics);
    }

    /**
     * Returns a new, empty store in memory. A flush completes immediately.
     *
     * @param limits    the limits; {@link StoreLimits#maxHeapBytes()} limits the size as well
     * @param scheduler the source of time
     * @param executor  runs the purging; the store does not shut it down
     */
    static AdvertisementStore inMemory(StoreLimits limits, Scheduler scheduler, Executor executor) {
        StoreLimits inMemory = limits.toBuilder()
                .maxBytes(Math.min(limits.maxBytes(), limits.maxHeapBytes()))
                .build();
        return TableStore.start(new MemoryTables.Source(), inMemory, scheduler, executor, new StoreMetrics());
    }

    /**
     * Stores an entry, unless the store has a newer one with its key.
     *
     * @throws ParleyException with {@link ErrorCode#LOCAL_LIMIT} if the entry exceeds one of the {@link StoreLimits}; the
     *     message names it
     */
    PutOutcome put(StoreEntry entry);

    /**
     * Writes all changes to disk. Many concurrent calls cost little more than one.
     *
     * @return a future that completes on the store's executor when all changes before this call are on disk and survive a failure
     *     of the process and of the machine; it fails with {@link ErrorCode#STORE_UNAVAILABLE} if some of them were lost
     */
    CompletableFuture<Void> flush();

    /** Returns the entry with a key, unless it has expired. */
    Optional<StoreEntry> get(StoreKey key);

    /** Removes an entry. Returns whether the store had an unexpired one. */
    boolean remove(StoreKey key);

    /**
     * Returns the entries that match. The cost of an exact value or a prefix is proportional to the results; other patterns scan
     * all values of the attribute, up to {@link StoreLimits#maxScannedRows()}.
     *
     * @param limit maximum number of results, not negative; {@link StoreLimits#maxResults()} applies as well
     */
    StoreResult find(StoreQuery query, int limit);

    /** Finds as {@link #find} does, entries with empty documents: their memory does not depend on what other peers have published. */
    StoreResult findWithoutDocuments(StoreQuery query, int limit);

    /** Returns the number of entries, including expired ones that have not been removed yet. */
    long count();

    /** Returns the size of all entries including their indexes, in bytes; the file is larger. In memory, the heap that they need. */
    long sizeBytes();

    /** Returns the counters. */
    StoreMetrics metrics();

    /**
     * Writes all changes, compacts the file for at most about a second, and closes it. Pending flushes complete before this
     * method returns, when the store is closed.
     */
    @Override
    void close();
}

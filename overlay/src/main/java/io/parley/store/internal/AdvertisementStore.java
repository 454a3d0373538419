package io.parley.store.internal;

import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.store.StoreLimits;
import io.parley.store.StoreMetrics;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A bounded cache of documents that can be searched by their attributes. Every entry expires, and is not returned from
 * then on, whether it has been removed yet or not. A full store removes what is nearest to its expiry.
 *
 * <p>All methods may be called from any thread, and none fails because its thread was interrupted. They may read and
 * write the file, so they do not belong on an event loop; {@link #flush} alone never does. What one thread has put, all
 * see at once.
 *
 * <p>After {@link #close} all but that method fail with {@link ErrorCode#CLOSED}. When the file can be neither used nor
 * replaced (a full disk), they fail with {@link ErrorCode#STORE_UNAVAILABLE} until it can.
 */
public interface AdvertisementStore extends AutoCloseable {

    /**
     * Opens the store in a file, or makes a new one. It takes a few milliseconds, and hardly more when a million entries are in
     * there, as none is read. Only the owner can read the file, which others hold to be one peer's memory. Beside it there is one with {@code .lock}
     * added to its name, and those with {@code .damaged-} and a number are files that could not be read: they are
     * reported in the log, and the store begins anew, empty.
     *
     * <p>Changes are on disk about a second later, or when {@link #flush} says so. The process may die at any time.
     *
     * @param file     the file; missing directories are made, for the owner only
     * @param limits    bounds; when they are lower than they were, entries go with the next {@link #put}
     * @param scheduler the source of time
     * @param executor  runs the writing, purging and compacting in the background, which blocks; never shut down here
     * @throws ParleyException with {@link ErrorCode#STORE_UNAVAILABLE} when another store, in this process or another,
     *     has the file, or when it can't be read or written; the message names it
     */
    static AdvertisementStore open(Path file, StoreLimits limits, Scheduler scheduler, Executor executor) {
        StoreMetrics metrics = new StoreMetrics();
        return TableStore.start(
                new FileTableSource(file, limits, scheduler.clock(), metrics), limits, scheduler, executor, metrics);
    }

    /**
     * A store in memory, which is empty at first and gone at last; a write is confirmed at once.
     *
     * @param limits    bounds
     * @param scheduler the source of time
     * @param executor  runs the purging in the background; never shut down here
     */
    static AdvertisementStore inMemory(StoreLimits limits, Scheduler scheduler, Executor executor) {
        return TableStore.start(new MemoryTables.Source(), limits, scheduler, executor, new StoreMetrics());
    }

    /**
     * Stores an entry, unless a newer one with its key is there.
     *
     * @throws ParleyException with {@link ErrorCode#LOCAL_LIMIT} when it breaks one of the {@link StoreLimits}; the
     *     message names it
     */
    PutOutcome put(StoreEntry entry);

    /**
     * Writes to disk. Completes when everything that was put and removed before this call is there and survives the
     * death of the process and of the machine; fails with {@link ErrorCode#STORE_UNAVAILABLE} when some of it was lost.
     * Many calls at a time cost little more than one. Completes on the store's executor.
     */
    CompletableFuture<Void> flush();

    /** The entry with that key, unless it has expired. */
    Optional<StoreEntry> get(StoreKey key);

    /** Removes an entry; tells whether there was one that had not expired. */
    boolean remove(StoreKey key);

    /**
     * Entries that match. An exact value or one that ends with a star costs what it returns; other patterns look at all
     * values of the attribute, up to {@link StoreLimits#maxScannedRows()}.
     *
     * @param limit how many at most, not negative; the {@link StoreLimits} may allow fewer
     */
    StoreResult find(StoreQuery query, int limit);

    /** How many entries there are, with those that have expired but are not removed yet. */
    long count();

    /** What they take with their indexes, in bytes; the file is larger. */
    long sizeBytes();

    /** The counters. */
    StoreMetrics metrics();

    /**
     * Writes what has changed, makes the file smaller for at most about a second, and closes it. Flushes that are under
     * way complete before.
     */
    @Override
    void close();
}

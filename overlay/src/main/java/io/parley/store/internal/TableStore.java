package io.parley.store.internal;

import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.store.StoreLimits;
import io.parley.store.internal.StoreMetrics.Counter;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A store on {@link Tables}. It synchronizes access to the tables and replaces them when they fail. */
final class TableStore implements AdvertisementStore {
    private static final Logger log = LoggerFactory.getLogger(TableStore.class);

    /** More unwritten bytes than this are written with the next change, which bounds memory. */
    private static final long MAX_UNWRITTEN_BYTES = 16L * 1024 * 1024;

    private final Tables.Source source;
    private final StoreLimits limits;
    private final Clock clock;
    private final StoreMetrics metrics;
    private final MaintenanceScheduler background;

    /** Held in shared mode to use the tables; held exclusively to close or replace them. */
    private final ReentrantReadWriteLock access = new ReentrantReadWriteLock();

    /** Held to change rows or commit; acquired after {@link #access}. */
    private final ReentrantLock writing = new ReentrantLock();

    /** {@code null} if the store is closed, or if the tables failed and could not be replaced; guarded by {@link #access}. */
    private @Nullable Tables tables;

    private boolean closed;
    private volatile @Nullable ParleyException outage;

    /** Set when changes were lost, until a flush reports it; guarded by {@link #writing}. */
    private @Nullable Throwable loss;

    /** The owners of the entries in the tables; guarded by {@link #writing}. */
    private @Nullable OwnerShares owners;

    private final long seed;

    private TableStore(
            Tables.Source source,
            Tables tables,
            StoreLimits limits,
            Scheduler scheduler,
            Executor executor,
            StoreMetrics metrics) {
        this.source = source;
        this.tables = tables;
        this.limits = limits;
        this.clock = scheduler.clock();
        this.metrics = metrics;
        this.seed = scheduler.random().nextLong();
        this.background = new MaintenanceScheduler(this, scheduler, executor);
    }

    static TableStore start(
            Tables.Source source, StoreLimits limits, Scheduler scheduler, Executor executor, StoreMetrics metrics) {
        TableStore store = new TableStore(source, source.open(), limits, scheduler, executor, metrics);
        try {
            store.background.start();
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
        return store;
    }

    @Override
    public PutOutcome put(StoreEntry entry) {
        PutOutcome outcome;
        try {
            entry.requireWithin(limits);
            EntryRows rows = EntryRows.of(entry);
            outcome = entry.isExpired(clock.millis())
                    ? PutOutcome.EXPIRED
                    : change(writer -> writer.put(rows, clock.millis()));
        } catch (ParleyException e) {
            metrics.increment(Counter.PUTS_REJECTED);
            throw e;
        }
        metrics.increment(
                switch (outcome) {
                    case ADDED, REPLACED -> Counter.PUTS;
                    case UNCHANGED, STALE -> Counter.PUTS_NOT_NEWER;
                    case EXPIRED, FULL -> Counter.PUTS_REJECTED;
                });
        return outcome;
    }

    @Override
    public boolean remove(StoreKey key) {
        return change(writer -> writer.remove(RowKeyCodec.entry(key), clock.millis()));
    }

    /** Removes at maxResults {@code maxEntries} expired or surplus entries. Returns whether there may be more. */
    boolean purge(int maxEntries) {
        return change(writer -> writer.purge(clock.millis(), maxEntries) || writer.evict(maxEntries));
    }

    private <T> T change(Function<EntryWriter, T> work) {
        return use(used -> {
            writing.lock();
            try {
                T result = work.apply(new EntryWriter(used, limits, metrics, owners(used)));
                if (used.unwrittenBytes() > MAX_UNWRITTEN_BYTES) {
                    commit(used);
                }
                return result;
            } finally {
                writing.unlock();
            }
        });
    }

    /** The caller must hold {@link #writing}. */
    private OwnerShares owners(Tables used) {
        OwnerShares current = owners;
        if (current == null || !current.isOf(used)) {
            current = new OwnerShares(used, limits, seed);
            owners = current;
        }
        return current;
    }

    @Override
    public Optional<StoreEntry> get(StoreKey key) {
        return use(used -> used.reading(() -> StoreSearch.get(used, key, clock.millis())));
    }

    @Override
    public StoreResult find(StoreQuery query, int limit) {
        return find(query, limit, entry -> entry);
    }

    @Override
    public StoreResult findWithoutDocuments(StoreQuery query, int limit) {
        return find(query, limit, StoreEntry::withoutDocument);
    }

    private StoreResult find(StoreQuery query, int limit, UnaryOperator<StoreEntry> kept) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit: " + limit + " (expected: >= 0)");
        }
        int maxResults = Math.min(limit, limits.maxResults());
        metrics.increment(Counter.SEARCHES);
        return use(used -> used.reading(() -> {
            StoreSearch search =
                    new StoreSearch(used, query, clock.millis(), maxResults, limits.maxScannedRows(), kept);
            search.run();
            if (search.isTruncated()) {
                metrics.increment(Counter.SEARCHES_TRUNCATED);
            }
            return new StoreResult(List.copyOf(search.found()), search.isComplete());
        }));
    }

    @Override
    public long count() {
        return use(used -> used.size().count());
    }

    @Override
    public long sizeBytes() {
        return use(used -> used.size().bytes());
    }

    @Override
    public StoreMetrics metrics() {
        return metrics;
    }

    @Override
    public CompletableFuture<Void> flush() {
        return background.flush();
    }

    /** Commits, and waits until the changes are on disk. */
    void write() {
        use(used -> {
            writing.lock();
            try {
                commit(used);
            } finally {
                writing.unlock();
            }
            used.sync();
            return true;
        });
    }

    /** Commits and syncs. Fails if earlier changes were lost and no flush has reported that. */
    void writeAll() {
        write();
        ParleyException lost = takeLoss();
        if (lost != null) {
            throw lost;
        }
    }

    private @Nullable ParleyException takeLoss() {
        writing.lock();
        try {
            Throwable cause = loss;
            loss = null;
            return cause == null
                    ? null
                    : ErrorCode.STORE_UNAVAILABLE.exception(
                            "advertisement store: lost changes: " + cause.getMessage(), cause);
        } finally {
            writing.unlock();
        }
    }

    void compact(boolean idle) {
        use(used -> {
            writing.lock();
            try {
                used.compact(idle);
            } finally {
                writing.unlock();
            }
            return true;
        });
    }

    private void commit(Tables used) {
        if (used.commit()) {
            metrics.increment(Counter.COMMITS);
        }
    }

    /** Runs an operation on the tables. If they fail, replaces them and retries once. */
    private <T> T use(Function<Tables, T> work) {
        for (int attempt = 1; ; attempt++) {
            Tables used;
            Throwable failure;
            access.readLock().lock();
            try {
                used = current();
                try {
                    return work.apply(used);
                } catch (RuntimeException | AssertionError | StackOverflowError e) {
                    failure = e; // MVStore fails with any of these if the file is corrupt
                }
            } finally {
                access.readLock().unlock();
            }
            replace(used, failure);
            if (attempt == 2) {
                throw ErrorCode.STORE_UNAVAILABLE.exception(
                        "advertisement store: failed again after it was reopened: " + failure.getMessage(), failure);
            }
        }
    }

    private Tables current() {
        if (closed) {
            throw ErrorCode.CLOSED.exception("advertisement store: closed");
        }
        if (tables == null) {
            String reason = outage == null ? "advertisement store: failed" : outage.getMessage();
            throw ErrorCode.STORE_UNAVAILABLE.exception(String.valueOf(reason), outage);
        }
        return tables;
    }

    private void replace(Tables failed, Throwable failure) {
        access.writeLock().lock();
        try {
            if (!closed && tables == failed) { // otherwise another thread has replaced them
                failed.abandon();
                tables = null;
                recordLoss(failure);
                reopen(failure);
            }
        } finally {
            access.writeLock().unlock();
        }
    }

    private void recordLoss(Throwable failure) {
        writing.lock();
        try {
            loss = failure;
        } finally {
            writing.unlock();
        }
    }

    private void reopen(Throwable failure) {
        try {
            tables = source.reopen(failure);
            outage = null;
        } catch (ParleyException e) {
            outage = e;
            throw e;
        }
    }

    /** Retries to open the tables during an outage. */
    void endOutage() {
        ParleyException cause = outage;
        if (cause == null) {
            return;
        }
        access.writeLock().lock();
        try {
            if (!closed && tables == null) {
                reopen(cause);
                log.info("Reopened the advertisement store after an outage");
            }
        } finally {
            access.writeLock().unlock();
        }
    }

    @Override
    public void close() {
        access.writeLock().lock();
        try {
            if (closed) {
                return;
            }
            background.stop();
            try {
                background.onClosed(closeTables());
            } finally {
                closed = true;
                tables = null;
                source.close();
            }
        } finally {
            access.writeLock().unlock();
        }
        background.settlePending(); // without the lock, because dependent actions may use the store
    }

    /** Returns why changes were lost; {@code null} if none were. */
    private @Nullable ParleyException closeTables() {
        try {
            if (tables != null) {
                tables.close();
            }
            return takeLoss();
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            log.warn("Cannot close the advertisement store; the last changes may be lost", e);
            if (tables != null) {
                tables.abandon();
            }
            return ErrorCode.STORE_UNAVAILABLE.exception("advertisement store: cannot be closed: " + e.getMessage(), e);
        }
    }
}

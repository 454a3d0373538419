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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store on {@link Tables}, whatever they are made of. It decides who may touch them when, and gets new ones when they
 * fail.
 */
final class TableStore implements AdvertisementStore {
    private static final Logger LOG = LoggerFactory.getLogger(TableStore.class);

    /** When there is more to write than that, the next change writes it: memory is bounded. */
    private static final long MAX_UNWRITTEN_BYTES = 16L * 1024 * 1024;

    private final Tables.Source source;
    private final StoreLimits limits;
    private final Clock clock;
    private final StoreMetrics metrics;
    private final MaintenanceScheduler background;

    /** Shared by all that use the tables; exclusive for those that close or replace them. */
    private final ReentrantReadWriteLock access = new ReentrantReadWriteLock();

    /** Held by who changes rows or commits; taken after {@link #access}. */
    private final ReentrantLock writing = new ReentrantLock();

    /** Missing when closed, or when they failed and could not be replaced; guarded by {@link #access}. */
    private @Nullable Tables tables;

    private boolean closed;
    private volatile @Nullable ParleyException outage;

    /** Set when changes were lost that nobody was told of; guarded by {@link #writing}. */
    private @Nullable Throwable loss;

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
            EntryValidator.check(entry, limits);
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

    /** Removes some of what has expired or is too much; tells whether there may be more. */
    boolean tidy(int atMost) {
        return change(writer -> writer.purge(clock.millis(), atMost) || writer.evict(atMost));
    }

    private <T> T change(Function<EntryWriter, T> work) {
        return use(used -> {
            writing.lock();
            try {
                T result = work.apply(new EntryWriter(used, limits, metrics));
                if (used.unwrittenBytes() > MAX_UNWRITTEN_BYTES) {
                    commit(used);
                }
                return result;
            } finally {
                writing.unlock();
            }
        });
    }

    @Override
    public Optional<StoreEntry> get(StoreKey key) {
        return use(used -> used.reading(() -> StoreSearch.get(used, key, clock.millis())));
    }

    @Override
    public StoreResult find(StoreQuery query, int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit: " + limit + " (expected: >= 0)");
        }
        int most = Math.min(limit, limits.maxResults());
        metrics.increment(Counter.SEARCHES);
        return use(used -> used.reading(() -> {
            StoreSearch search = new StoreSearch(used, query, clock.millis(), most, limits.maxScannedRows());
            search.run();
            if (search.isCutShort()) {
                metrics.increment(Counter.SEARCHES_TRUNCATED);
            }
            return new StoreResult(List.copyOf(search.found()), search.isComplete());
        }));
    }

    @Override
    public long count() {
        return use(used -> used.totals().count());
    }

    @Override
    public long sizeBytes() {
        return use(used -> used.totals().bytes());
    }

    @Override
    public StoreMetrics metrics() {
        return metrics;
    }

    @Override
    public CompletableFuture<Void> flush() {
        return background.flush();
    }

    /** Commits, and waits until it is on disk. */
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

    /** Same; fails when changes before it were lost that nobody was told of yet. */
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
                    : ErrorCode.STORE_UNAVAILABLE.exception("changes were lost: " + cause.getMessage(), cause);
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

    /** Uses the tables. When they fail it is done once more, with those that come in their place. */
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
                    failure = e; // a damaged file makes the library fail in any of these ways
                }
            } finally {
                access.readLock().unlock();
            }
            replace(used, failure);
            if (attempt == 2) {
                throw ErrorCode.STORE_UNAVAILABLE.exception("the store fails: " + failure.getMessage(), failure);
            }
        }
    }

    private Tables current() {
        if (closed) {
            throw ErrorCode.CLOSED.exception("the advertisement store is closed");
        }
        if (tables == null) {
            String reason = outage == null ? "it failed" : outage.getMessage();
            throw ErrorCode.STORE_UNAVAILABLE.exception(String.valueOf(reason), outage);
        }
        return tables;
    }

    private void replace(Tables failed, Throwable failure) {
        access.writeLock().lock();
        try {
            if (!closed && tables == failed) { // otherwise another thread was first
                failed.abandon();
                tables = null;
                lose(failure);
                reopen(failure);
            }
        } finally {
            access.writeLock().unlock();
        }
    }

    private void lose(Throwable failure) {
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

    /** Tries once more where there was an outage. */
    void endOutage() {
        ParleyException cause = outage;
        if (cause == null) {
            return;
        }
        access.writeLock().lock();
        try {
            if (!closed && tables == null) {
                reopen(cause);
                LOG.info("the advertisement store works again");
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
                if (tables != null) {
                    tables.close();
                }
                background.settle(takeLoss());
            } catch (RuntimeException | AssertionError | StackOverflowError e) {
                LOG.warn("the advertisement store could not be closed properly; the last changes may be lost", e);
                if (tables != null) {
                    tables.abandon();
                }
                background.settle(ErrorCode.STORE_UNAVAILABLE.exception("closing failed: " + e.getMessage(), e));
            } finally {
                closed = true;
                tables = null;
                source.close();
            }
        } finally {
            access.writeLock().unlock();
        }
    }
}

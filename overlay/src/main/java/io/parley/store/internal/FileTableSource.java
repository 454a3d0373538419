package io.parley.store.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.store.StoreLimits;
import io.parley.store.internal.StoreMetrics.Counter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens tables in a file, and new ones where that is damaged. */
final class FileTableSource implements Tables.Source {
    private static final Logger LOG = LoggerFactory.getLogger(FileTableSource.class);

    private final Path file;
    private final StoreLimits limits;
    private final StoreMetrics metrics;
    private final CorruptFileQuarantine damagedFiles;
    private @Nullable StoreFileLock owner;

    FileTableSource(Path file, StoreLimits limits, Clock clock, StoreMetrics metrics) {
        this.file = file.toAbsolutePath().normalize();
        this.limits = limits;
        this.metrics = metrics;
        this.damagedFiles = new CorruptFileQuarantine(this.file, limits.maxCorruptFiles(), clock);
    }

    @Override
    public Tables open() {
        boolean opened = false;
        try {
            OwnerOnlyFiles.createDirectories(file.resolveSibling(".").normalize());
            owner = StoreFileLock.take(file);
            Tables tables = openOrReplace();
            opened = true;
            return tables;
        } catch (IOException e) {
            throw unavailable(e);
        } finally {
            if (!opened) {
                close();
            }
        }
    }

    @Override
    public Tables reopen(Throwable failure) {
        if (failure instanceof ParleyException) {
            LOG.debug("trying {} again", file);
        } else if (MvTables.isDamage(failure)) {
            setAside(failure);
        } else {
            metrics.increment(Counter.WRITE_FAILURES);
            LOG.error("can't write the advertisement store at {}: what had changed lately is lost", file, failure);
        }
        return openOrReplace();
    }

    private Tables openOrReplace() {
        try {
            return openFile();
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            if (e instanceof ParleyException || !MvTables.isDamage(e)) {
                throw unavailable(e);
            }
            setAside(e);
        }
        try {
            return openFile();
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            throw unavailable(e);
        }
    }

    private Tables openFile() {
        try {
            OwnerOnlyFiles.ensure(file);
            return MvTables.open(file, limits);
        } catch (IOException e) {
            throw unavailable(e);
        }
    }

    private void setAside(Throwable damage) {
        metrics.increment(Counter.CORRUPT_FILES);
        try {
            Path aside = damagedFiles.setAside();
            LOG.error(
                    "the advertisement store at {} is damaged; it begins anew, and what was there is now {}",
                    file,
                    aside,
                    damage);
        } catch (IOException e) {
            e.addSuppressed(damage);
            throw unavailable(e);
        }
    }

    private ParleyException unavailable(Throwable cause) {
        if (cause instanceof ParleyException known) {
            return known;
        }
        return ErrorCode.STORE_UNAVAILABLE.exception(
                "can't use the advertisement store at " + file + " ("
                        + cause.getClass().getSimpleName() + ": " + cause.getMessage()
                        + "): let the user that runs the peer read and write there, and see that the disk is not full",
                cause);
    }

    @Override
    public void close() {
        if (owner != null) {
            owner.close();
            owner = null;
        }
    }
}

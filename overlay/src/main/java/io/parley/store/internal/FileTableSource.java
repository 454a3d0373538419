package io.parley.store.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.store.StoreLimits;
import io.parley.store.internal.StoreMetrics.Counter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens tables in a file, and replaces the file if it is corrupt. */
final class FileTableSource implements Tables.Source {
    private static final Logger log = LoggerFactory.getLogger(FileTableSource.class);

    private final Path file;
    private final StoreLimits limits;
    private final StoreMetrics metrics;
    private final CorruptFileQuarantine quarantine;
    private @Nullable StoreFileLock lock;

    FileTableSource(Path file, StoreLimits limits, Clock clock, StoreMetrics metrics) {
        this.file = file.toAbsolutePath().normalize();
        this.limits = limits;
        this.metrics = metrics;
        this.quarantine = new CorruptFileQuarantine(this.file, limits.maxCorruptFiles(), clock);
    }

    @Override
    public Tables open() {
        boolean opened = false;
        try {
            OwnerOnlyFiles.createDirectories(file.resolveSibling(".").normalize());
            lock = StoreFileLock.acquire(file);
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
            log.debug("Retrying to open the advertisement store at {}", file);
        } else if (MvTables.isCorruption(failure)) {
            moveAside(failure);
        } else {
            metrics.increment(Counter.WRITE_FAILURES);
            log.error(
                    "Cannot write the advertisement store at {}; lost the changes since the last commit",
                    file,
                    failure);
        }
        return openOrReplace();
    }

    private Tables openOrReplace() {
        try {
            return openFile();
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            if (e instanceof ParleyException || !MvTables.isCorruption(e)) {
                throw unavailable(e);
            }
            moveAside(e);
        }
        try {
            return openFile();
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            throw unavailable(e);
        }
    }

    private Tables openFile() {
        try {
            // If it cannot be known whether the file exists, size fails, so that no store is replaced.
            if (Files.notExists(file) || Files.size(file) == 0) {
                createFile();
            }
            OwnerOnlyFiles.ensure(file);
            return MvTables.open(file, limits);
        } catch (IOException e) {
            throw unavailable(e);
        }
    }

    /** Creates the file under another name first, because one without a commit, of a process that was killed, would count as corrupt. */
    private void createFile() throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(unfinished);
        OwnerOnlyFiles.ensure(unfinished);
        MvTables.open(unfinished, limits).close();
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        OwnerOnlyFiles.syncDirectory(file);
    }

    private void moveAside(Throwable corruption) {
        metrics.increment(Counter.CORRUPT_FILES);
        try {
            Path aside = quarantine.moveAside();
            log.error(
                    "Moved the corrupt advertisement store at {} to {} and replaced it by an empty one",
                    file,
                    aside,
                    corruption);
        } catch (IOException e) {
            e.addSuppressed(corruption);
            throw unavailable(e);
        }
    }

    private ParleyException unavailable(Throwable cause) {
        if (cause instanceof ParleyException known) {
            return known;
        }
        return ErrorCode.STORE_UNAVAILABLE.exception(
                "advertisement store at " + file + ": cannot be used ("
                        + cause.getClass().getSimpleName() + ": " + cause.getMessage()
                        + "); check that the user of this process may read and write there and that the disk is not full",
                cause);
    }

    @Override
    public void close() {
        if (lock != null) {
            lock.close();
            lock = null;
        }
    }
}

package io.parley.store.internal;

import io.parley.error.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reserves a file for one store of one process, by a lock on a separate file. The lock file is never moved or replaced, so the lock
 * is held from before the store's file is accessed until after it is closed. The lock file remains when the lock is released.
 */
final class StoreFileLock implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(StoreFileLock.class);

    /**
     * The lock files of this process. The operating system's locks belong to the process, and closing a second channel of the same
     * file would release the lock of the first.
     */
    private static final Set<Path> LOCKED = new HashSet<>();

    private final Path path;
    private final FileChannel channel;
    private final FileLock lock;

    private StoreFileLock(Path path, FileChannel channel, FileLock lock) {
        this.path = path;
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Acquires the lock of a file, whose directory must exist.
     *
     * @throws io.parley.error.ParleyException with {@link ErrorCode#STORE_UNAVAILABLE} if another store holds it
     */
    static StoreFileLock acquire(Path file) throws IOException {
        Path lockFile = file.resolveSibling(file.getFileName() + ".lock");
        OwnerOnlyFiles.ensure(lockFile);
        Path path = lockFile.toRealPath();
        synchronized (LOCKED) {
            if (!LOCKED.add(path)) {
                throw ErrorCode.STORE_UNAVAILABLE.exception("advertisement store at " + file
                        + ": open in this process; close it first, or use another file");
            }
        }
        StoreFileLock acquired = null;
        try {
            acquired = lock(path);
        } finally {
            if (acquired == null) {
                release(path);
            }
        }
        if (acquired == null) {
            throw ErrorCode.STORE_UNAVAILABLE.exception("advertisement store at " + file
                    + ": in use by another process; stop that process, or give each peer its own home directory");
        }
        return acquired;
    }

    private static @Nullable StoreFileLock lock(Path path) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return new StoreFileLock(path, channel, lock);
            }
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
        channel.close();
        return null;
    }

    private static void release(Path path) {
        synchronized (LOCKED) {
            LOCKED.remove(path);
        }
    }

    @Override
    public void close() {
        try (channel) {
            lock.release();
        } catch (IOException e) {
            log.debug("Cannot release the lock at {}", path, e);
        } finally {
            release(path);
        }
    }
}

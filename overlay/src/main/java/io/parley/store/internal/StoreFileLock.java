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
 * Keeps a file for one store of one process, by a lock on a file beside it. That one is never set aside or replaced, so
 * the lock holds from before the store's file is looked at until after it was closed. It stays when the lock is gone.
 */
final class StoreFileLock implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StoreFileLock.class);

    /**
     * What this process has. The system's locks are the process's, and a second channel for the same file would lose the
     * first one's lock on being closed.
     */
    private static final Set<Path> OWNED = new HashSet<>();

    private final Path path;
    private final FileChannel channel;
    private final FileLock lock;

    private StoreFileLock(Path path, FileChannel channel, FileLock lock) {
        this.path = path;
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Takes the file, whose directory is there.
     *
     * @throws io.parley.error.ParleyException with {@link ErrorCode#STORE_UNAVAILABLE} when another has it
     */
    static StoreFileLock take(Path file) throws IOException {
        Path lockFile = file.resolveSibling(file.getFileName() + ".lock");
        OwnerOnlyFiles.ensure(lockFile);
        Path path = lockFile.toRealPath();
        synchronized (OWNED) {
            if (!OWNED.add(path)) {
                throw ErrorCode.STORE_UNAVAILABLE.exception("the advertisement store at " + file
                        + " is open in this process: close it first, or use another file");
            }
        }
        StoreFileLock owner = null;
        try {
            owner = lock(path);
        } finally {
            if (owner == null) {
                forget(path);
            }
        }
        if (owner == null) {
            throw ErrorCode.STORE_UNAVAILABLE.exception("the advertisement store at " + file
                    + " is in use by another process: stop that one, or give each its own home directory");
        }
        return owner;
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

    private static void forget(Path path) {
        synchronized (OWNED) {
            OWNED.remove(path);
        }
    }

    @Override
    public void close() {
        try (channel) {
            lock.release();
        } catch (IOException e) {
            LOG.debug("can't release the lock at {}", path, e);
        } finally {
            forget(path);
        }
    }
}

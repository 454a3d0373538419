package io.parley.common.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An exclusive lock on a file, both against other processes and within this one. The operating system releases it if the
 * process dies; the file stays. Thread-safe.
 */
public final class ProcessFileLock implements AutoCloseable {

    /**
     * The files that this process has locked. The operating system's locks belong to the process: closing a second channel of
     * the same file would release the lock of the first.
     */
    private static final Set<Path> LOCKED = new HashSet<>();

    private final Path path;
    private final FileChannel channel;
    private final AtomicBoolean closed = new AtomicBoolean();

    private ProcessFileLock(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /**
     * Locks a file.
     *
     * @param file an existing file, which must not be replaced while it is locked
     * @return {@code null} if it is locked already, by this process or by another
     */
    public static @Nullable ProcessFileLock tryAcquire(Path file) throws IOException {
        Path path = file.toRealPath();
        synchronized (LOCKED) {
            if (!LOCKED.add(path)) {
                return null;
            }
        }
        ProcessFileLock acquired = null;
        try {
            acquired = lock(path);
        } finally {
            if (acquired == null) {
                remove(path);
            }
        }
        return acquired;
    }

    /** Returns whether this process has locked the file. */
    public static boolean isLockedByThisProcess(Path file) throws IOException {
        Path path = file.toRealPath();
        synchronized (LOCKED) {
            return LOCKED.contains(path);
        }
    }

    private static @Nullable ProcessFileLock lock(Path path) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            @Nullable FileLock lock = channel.tryLock();
            locked = lock != null;
        } finally {
            if (!locked) {
                channel.close();
            }
        }
        return locked ? new ProcessFileLock(path, channel) : null;
    }

    private static void remove(Path path) {
        synchronized (LOCKED) {
            LOCKED.remove(path);
        }
    }

    /** Releases the lock. */
    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            try {
                channel.close(); // which releases the lock
            } finally {
                remove(path);
            }
        }
    }
}

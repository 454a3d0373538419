package io.parley.common.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

    /**
     * Channels of files that other code in this process has locked, such as this class in another class loader. They stay open as long
     * as it holds the lock.
     */
    private static final Map<Path, FileChannel> OVERLAPPING = new ConcurrentHashMap<>();

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
        if (isOverlapping(path)) {
            return null;
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE);
        boolean open = false;
        try {
            @Nullable FileLock lock = channel.tryLock();
            open = lock != null;
        } catch (OverlappingFileLockException e) {
            OVERLAPPING.put(path, channel);
            open = true;
            return null;
        } finally {
            if (!open) {
                channel.close();
            }
        }
        return open ? new ProcessFileLock(path, channel) : null;
    }

    /** Returns whether other code has still locked a file. Otherwise closes the channel that was kept because of that. */
    private static boolean isOverlapping(Path path) throws IOException {
        FileChannel kept = OVERLAPPING.get(path);
        if (kept == null) {
            return false;
        }
        try {
            kept.tryLock();
        } catch (OverlappingFileLockException e) {
            return true;
        }
        OVERLAPPING.remove(path);
        kept.close(); // the file may be another one since
        return false;
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

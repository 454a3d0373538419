package io.parley;

import io.parley.common.internal.ProcessFileLock;
import io.parley.error.ErrorCode;
import io.parley.store.internal.OwnerOnlyFiles;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exclusive use of a home directory by one running peer. Two peers with one identity would take each other's connections.
 * The lock is held on a file in the directory, which stays; the operating system releases it if the process dies.
 */
final class HomeLock implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(HomeLock.class);

    static final String FILE_NAME = "peer.lock";

    private final @Nullable ProcessFileLock lock;

    private HomeLock(@Nullable ProcessFileLock lock) {
        this.lock = lock;
    }

    /** Returns a lock that a peer without a home holds. */
    static HomeLock none() {
        return new HomeLock(null);
    }

    /**
     * Locks a home directory, which is created if it is missing. If the lock file cannot be written, as in a read-only
     * directory, a warning is logged and the peer runs without a lock.
     *
     * @throws io.parley.error.ParleyException {@link ErrorCode#HOME_IN_USE} if another running peer uses the directory
     */
    static HomeLock acquire(Path directory) {
        Path home = directory.toAbsolutePath().normalize();
        Path file = home.resolve(FILE_NAME);
        ProcessFileLock acquired;
        try {
            OwnerOnlyFiles.createDirectories(home);
            OwnerOnlyFiles.ensure(file);
            acquired = ProcessFileLock.tryAcquire(file);
        } catch (IOException e) {
            log.warn("Cannot lock home directory {}; a second peer with this home would not be refused", home, e);
            return none();
        }
        if (acquired == null) {
            throw ErrorCode.HOME_IN_USE.exception(
                    "home " + home
                            + ": in use by another running peer; stop that peer, or pass another directory to PeerBuilder.home");
        }
        return new HomeLock(acquired);
    }

    @Override
    public void close() {
        if (lock != null) {
            try {
                lock.close();
            } catch (IOException e) {
                log.debug("Cannot release the lock of a home directory", e);
            }
        }
    }
}

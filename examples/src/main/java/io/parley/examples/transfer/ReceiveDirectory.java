package io.parley.examples.transfer;

import io.parley.examples.console.CommandFailedException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a receiver. Unfinished files are in a subdirectory, under names that are derived from their paths. They
 * are renamed after they have been verified, so a file with its real name is always complete. Symbolic links are not
 * followed. A lock ensures that one process at a time writes to the directory.
 */
final class ReceiveDirectory implements AutoCloseable {

    private static final String LOCK = "lock";

    private final Path root;
    private final Path staging;
    private final FileChannel lockFile;
    /** Texts of paths. Not the paths, which a hash table does not sort: a sender can invent many names with one hash. */
    private final Set<String> checkedDirectories = new HashSet<>();

    private ReceiveDirectory(Path root, Path staging, FileChannel lockFile) {
        this.root = root;
        this.staging = staging;
        this.lockFile = lockFile;
    }

    /** Opens and locks a directory, which is created if it is missing. */
    static ReceiveDirectory open(Path directory) throws IOException {
        Path root = Files.createDirectories(directory).toRealPath();
        Path staging = root.resolve(TransferPath.STAGING);
        if (!Files.isDirectory(staging, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(staging);
        }
        FileChannel lockFile = FileChannel.open(
                staging.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        if (lock(lockFile) == null) {
            lockFile.close();
            throw new CommandFailedException("Another \"parley receive\" writes to " + root
                    + ". Wait until it has ended, or use another --out.");
        }
        return new ReceiveDirectory(root, staging, lockFile);
    }

    private static @Nullable FileLock lock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    Path root() {
        return root;
    }

    /** Returns the final path of a file. */
    Path target(TransferPath path) {
        return path.below(root);
    }

    /** Returns the path of a file while it is incomplete. */
    Path part(TransferPath path) {
        byte[] digest = Sha256Digests.start().digest(path.text().getBytes(StandardCharsets.UTF_8));
        return staging.resolve(Sha256Digests.hex(digest).substring(0, 32) + ".part");
    }

    /** Returns the size of a file in bytes, or -1 if it does not exist. Fails if it is not a regular file. */
    long sizeOf(Path file) throws IOException {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.isRegularFile()) {
                throw new CommandFailedException(
                        file + (attributes.isSymbolicLink() ? " is a symbolic link" : " is not a file")
                                + ". Move it, or use another --out.");
            }
            return attributes.size();
        } catch (NoSuchFileException e) {
            return -1;
        }
    }

    void makeDirectory(TransferPath path) throws IOException {
        create(target(path));
    }

    /** Creates the parent directories of a file. */
    void makeParent(TransferPath path) throws IOException {
        Path parent = target(path).getParent();
        if (parent != null) {
            create(parent);
        }
    }

    private void create(Path directory) throws IOException {
        if (directory.equals(root) || checkedDirectories.contains(directory.toString())) {
            return;
        }
        Path parent = directory.getParent();
        if (parent != null) {
            create(parent);
        }
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(directory);
        } else if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            throw new CommandFailedException(
                    directory + " is a symbolic link or not a directory. Move it, or use another --out.");
        }
        checkedDirectories.add(directory.toString());
    }

    /**
     * Fails if a parent of a path exists and is not a directory. Must be called before a file below is read. Creates no
     * directories.
     */
    void checkParents(TransferPath path) throws IOException {
        Path parent = root;
        String[] names = path.names();
        for (int i = 0; i < names.length - 1; i++) {
            parent = parent.resolve(names[i]);
            if (checkedDirectories.contains(parent.toString())) {
                continue;
            }
            if (!Files.exists(parent, LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
            create(parent);
        }
    }

    /** Renames a complete file to its final path. */
    void install(TransferPath path, boolean replace) throws IOException {
        makeParent(path);
        Path target = target(path);
        // The rename below would replace a file that has appeared since the start.
        if (!replace && Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new CommandFailedException(
                    target + " has appeared during the transfer. Move it, or use --force to replace it.");
        }
        Files.move(part(path), target, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(staging.resolve(LOCK));
        lockFile.close();
        try {
            Files.deleteIfExists(staging);
        } catch (DirectoryNotEmptyException e) {
            // Unfinished files remain for another run.
        }
    }
}

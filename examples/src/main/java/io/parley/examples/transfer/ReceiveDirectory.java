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
 * The receiver's directory. Unfinished files are kept in a directory of their own below it, under names that follow from
 * their paths, and are renamed into place when they have been checked; so a file with its real name is always whole.
 * Nothing goes through a symbolic link, and one process at a time writes here.
 */
final class ReceiveDirectory implements AutoCloseable {

    private static final String LOCK = "lock";

    private final Path root;
    private final Path staging;
    private final FileChannel lockFile;
    private final Set<Path> checkedDirectories = new HashSet<>();

    private ReceiveDirectory(Path root, Path staging, FileChannel lockFile) {
        this.root = root;
        this.staging = staging;
        this.lockFile = lockFile;
    }

    /** Makes the directory where it is missing, and keeps others from writing to it. */
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
                    + ". Wait until it has ended, or choose another --out.");
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

    /** Where a file goes in the end. */
    Path target(TransferPath path) {
        return path.below(root);
    }

    /** Where a file is until it is whole. */
    Path part(TransferPath path) {
        byte[] digest = Sha256Digests.start().digest(path.text().getBytes(StandardCharsets.UTF_8));
        return staging.resolve(Sha256Digests.hex(digest).substring(0, 32) + ".part");
    }

    /** The size of what is at that place, or -1 when there is nothing; fails when it is no file. */
    long sizeOf(Path file) throws IOException {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.isRegularFile()) {
                throw new CommandFailedException(
                        file + (attributes.isSymbolicLink() ? " is a symbolic link" : " is no file")
                                + " and in the way. Move it, or choose another --out.");
            }
            return attributes.size();
        } catch (NoSuchFileException e) {
            return -1;
        }
    }

    void makeDirectory(TransferPath path) throws IOException {
        make(target(path));
    }

    /** Makes the directories that a file needs. */
    void makeParent(TransferPath path) throws IOException {
        Path parent = target(path).getParent();
        if (parent != null) {
            make(parent);
        }
    }

    private void make(Path directory) throws IOException {
        if (directory.equals(root) || checkedDirectories.contains(directory)) {
            return;
        }
        Path parent = directory.getParent();
        if (parent != null) {
            make(parent);
        }
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(directory);
        } else if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            throw new CommandFailedException(directory
                    + " is no directory, or a symbolic link, and in the way. Move it, or choose another --out.");
        }
        checkedDirectories.add(directory);
    }

    /**
     * Fails when a directory on the way to a path is something else: to be called before anything is read there. What is
     * missing is not made.
     */
    void checkWay(TransferPath path) throws IOException {
        Path way = root;
        String[] names = path.names();
        for (int i = 0; i < names.length - 1; i++) {
            way = way.resolve(names[i]);
            if (checkedDirectories.contains(way)) {
                continue;
            }
            if (!Files.exists(way, LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
            make(way);
        }
    }

    /** Renames a finished file into its place. */
    void install(TransferPath path, boolean replace) throws IOException {
        makeParent(path);
        Path target = target(path);
        // The rename below replaces silently, and something may have appeared since the beginning.
        if (!replace && Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new CommandFailedException(
                    target + " has appeared in the meantime. Move it, or use --force to overwrite it.");
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
            // Unfinished files stay, to be continued.
        }
    }
}

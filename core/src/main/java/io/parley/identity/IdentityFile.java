package io.parley.identity;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads and creates a file that only its owner can access and that is written once. */
final class IdentityFile {
    private static final Logger LOG = LoggerFactory.getLogger(IdentityFile.class);

    /** The maximum file size, far more than a key needs. It bounds the read of a wrong file, such as a device. */
    private static final int MAX_BYTES = 16 * 1024;

    private static final Set<PosixFilePermission> OWNER_FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OWNER_DIRECTORY = PosixFilePermissions.fromString("rwx------");

    private IdentityFile() {}

    static byte[] read(Path file) throws IOException {
        byte[] content;
        try (var in = Files.newInputStream(file)) {
            content = in.readNBytes(MAX_BYTES + 1);
        }
        if (content.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "size: more than " + MAX_BYTES + " bytes (expected: <= " + MAX_BYTES + ")");
        }
        tighten(file);
        return content;
    }

    /** Creates the file unless it exists. In both cases a complete file exists when this method returns. */
    static void create(Path directory, String name, byte[] content) throws IOException {
        createDirectories(directory);
        Path file = directory.resolve(name);
        Path temporary = directory.resolve(name + "." + UUID.randomUUID() + ".tmp");
        try {
            write(temporary, content);
            publish(temporary, file);
            syncDirectory(directory);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private static void createDirectories(Path directory) throws IOException {
        if (isPosix(directory)) {
            Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWNER_DIRECTORY));
        } else if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory);
            restrict(directory, true);
        }
    }

    private static void write(Path file, byte[] content) throws IOException {
        boolean posix = isPosix(file);
        FileAttribute<?>[] attributes = posix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_FILE)}
                : new FileAttribute<?>[0];
        Set<StandardOpenOption> options = EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(file, options, attributes)) {
            if (!posix) {
                restrict(file, false);
            }
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    /** Publishes the file by a hard link. Unlike a move, a hard link is atomic and fails if the name exists, even on network file systems. */
    private static void publish(Path temporary, Path file) throws IOException {
        try {
            Files.createLink(file, temporary);
        } catch (FileAlreadyExistsException e) {
            LOG.debug("Another process created {} first", file);
        } catch (UnsupportedOperationException | FileSystemException e) {
            LOG.debug("Cannot create a hard link at {}; using a lock file", file, e);
            moveUnderLock(temporary, file);
        }
    }

    /** Publishes the file on a file system without hard links. A lock file serializes all processes, and the move is atomic. */
    static synchronized void moveUnderLock(Path temporary, Path file) throws IOException {
        Path lockFile = file.resolveSibling(file.getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            if (lock.isValid() && !Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    /** Makes the new name survive a power failure. Windows cannot open directories and does not need this. */
    private static void syncDirectory(Path directory) {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            LOG.debug("Cannot sync directory {}", directory, e);
        }
    }

    private static void tighten(Path file) {
        if (!isPosix(file)) {
            return;
        }
        try {
            Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
            permissions.addAll(Files.getPosixFilePermissions(file));
            if (permissions.removeIf(permission ->
                    !OWNER_FILE.contains(permission) && permission != PosixFilePermission.OWNER_EXECUTE)) {
                LOG.warn(
                        "Removed the access of other users to the identity file {}; they may have copied the"
                                + " private key",
                        file);
                Files.setPosixFilePermissions(file, permissions);
            }
        } catch (IOException e) {
            LOG.warn("Cannot remove the access of other users to the identity file {}", file, e);
        }
    }

    /** Restricts access as far as a file system without POSIX permissions supports it. */
    private static void restrict(Path path, boolean directory) {
        File file = path.toFile();
        boolean restricted = file.setReadable(false, false);
        restricted &= file.setReadable(true, true);
        restricted &= file.setWritable(false, false);
        restricted &= file.setWritable(true, true);
        if (directory) {
            restricted &= file.setExecutable(false, false);
            restricted &= file.setExecutable(true, true);
        }
        if (!restricted) {
            LOG.warn(
                    "Cannot remove the access of other users to {}: its file system does not support permissions",
                    path);
        }
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}

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

/** Reads and writes a file that is its owner's alone, and that is written once. */
final class IdentityFile {
    private static final Logger LOG = LoggerFactory.getLogger(IdentityFile.class);

    /** Far more than a key needs: it keeps a wrong file, such as a device, from being read to its end. */
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
            throw new IllegalArgumentException("it has more than " + MAX_BYTES + " bytes");
        }
        tighten(file);
        return content;
    }

    /** Writes the file unless there is one by now. Either way a whole one is there when this returns. */
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

    /** A hard link, unlike a move, is atomic and fails when the name is taken, also on network file systems. */
    private static void publish(Path temporary, Path file) throws IOException {
        try {
            Files.createLink(file, temporary);
        } catch (FileAlreadyExistsException e) {
            LOG.debug("another process was first to write {}", file);
        } catch (UnsupportedOperationException | FileSystemException e) {
            LOG.debug("no hard links at {}, using a lock", file, e);
            moveUnderLock(temporary, file);
        }
    }

    /** For file systems without hard links: all who come this way take turns, and the move itself is atomic. */
    static synchronized void moveUnderLock(Path temporary, Path file) throws IOException {
        Path lockFile = file.resolveSibling(file.getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            if (lock.isValid() && !Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    /** Makes the new name survive a power failure. Windows can't open directories, and does not need it. */
    private static void syncDirectory(Path directory) {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            LOG.debug("can't sync {}", directory, e);
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
                        "others had access to the identity at {}: now it is its owner's alone, but they may have a"
                                + " copy",
                        file);
                Files.setPosixFilePermissions(file, permissions);
            }
        } catch (IOException e) {
            LOG.warn("others have access to the identity at {}, and that can't be changed", file, e);
        }
    }

    /** The best that file systems without POSIX permissions offer. */
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
            LOG.warn("can't keep others from reading {}: its file system has no permissions for that", path);
        }
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}

package io.parley.store.internal;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates files and directories that only their owner can access, from their creation on. */
public final class OwnerOnlyFiles {
    private static final Logger log = LoggerFactory.getLogger(OwnerOnlyFiles.class);

    private static final Set<PosixFilePermission> OWNER_FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OWNER_DIRECTORY = PosixFilePermissions.fromString("rwx------");

    private OwnerOnlyFiles() {}

    /** Creates the directory and its parents, if they are missing. */
    public static void createDirectories(Path directory) throws IOException {
        if (isPosix(directory)) {
            Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWNER_DIRECTORY));
        } else {
            Files.createDirectories(directory);
        }
    }

    /** Creates an empty file if there is none. Restricts the permissions of an existing file to its owner. */
    public static void ensure(Path file) throws IOException {
        boolean posix = isPosix(file);
        if (!Files.exists(file) && create(file, posix)) {
            syncDirectory(file);
        } else if (posix && !OWNER_FILE.containsAll(Files.getPosixFilePermissions(file))) {
            log.warn("Restricted {} to its owner: other users had access", file);
            Files.setPosixFilePermissions(file, OWNER_FILE);
        }
    }

    /** Creates the file. Returns false if another thread or process has created it since the check. */
    private static boolean create(Path file, boolean posix) throws IOException {
        try {
            if (posix) {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_FILE));
            } else {
                Files.createFile(file);
                restrict(file.toFile());
            }
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** Makes a new name survive a power failure. Windows cannot open directories, and does not require it. */
    static void syncDirectory(Path file) {
        try (FileChannel channel = FileChannel.open(file.resolveSibling("."), StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            log.debug("Cannot sync the directory of {}", file, e);
        }
    }

    /** Sets the closest equivalent on file systems without POSIX permissions. */
    private static void restrict(File file) {
        boolean restricted = file.setReadable(false, false);
        restricted &= file.setReadable(true, true);
        restricted &= file.setWritable(false, false);
        restricted &= file.setWritable(true, true);
        if (!restricted) {
            log.warn("Cannot restrict {} to its owner: its file system does not support permissions", file);
        }
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}

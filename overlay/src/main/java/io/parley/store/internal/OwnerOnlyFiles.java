package io.parley.store.internal;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes files that are their owner's alone from the first byte on. */
public final class OwnerOnlyFiles {
    private static final Logger LOG = LoggerFactory.getLogger(OwnerOnlyFiles.class);

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

    /** An empty file, unless there is one. One that others have access to becomes its owner's alone. */
    public static void ensure(Path file) throws IOException {
        boolean posix = isPosix(file);
        if (!Files.exists(file)) {
            if (posix) {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_FILE));
            } else {
                Files.createFile(file);
                restrict(file.toFile());
            }
            syncDirectory(file);
        } else if (posix && !OWNER_FILE.containsAll(Files.getPosixFilePermissions(file))) {
            LOG.warn("others had access to {}: now it is its owner's alone", file);
            Files.setPosixFilePermissions(file, OWNER_FILE);
        }
    }

    /** Makes a new name survive a power failure. Windows can't open directories, and does not need it. */
    private static void syncDirectory(Path file) {
        try (FileChannel channel = FileChannel.open(file.resolveSibling("."), StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            LOG.debug("can't sync the directory of {}", file, e);
        }
    }

    /** The best that file systems without POSIX permissions offer. */
    private static void restrict(File file) {
        boolean restricted = file.setReadable(false, false);
        restricted &= file.setReadable(true, true);
        restricted &= file.setWritable(false, false);
        restricted &= file.setWritable(true, true);
        if (!restricted) {
            LOG.warn("can't keep others from reading {}: its file system has no permissions for that", file);
        }
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}

package io.parley.examples.software;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A temporary directory of a server that runs as another user. Closing it deletes it. */
final class SoftwareDirectory implements AutoCloseable {

    private final Path path;
    private final @Nullable UserPrincipal owner;

    private SoftwareDirectory(Path path, @Nullable UserPrincipal owner) {
        this.path = path;
        this.owner = owner;
    }

    /** Creates a directory that belongs to the user, or to the user of this process if that is {@code null}. */
    static SoftwareDirectory create(String prefix, @Nullable String user) throws IOException {
        Path path = Files.createTempDirectory(prefix);
        UserPrincipal owner = user == null
                ? null
                : path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user);
        SoftwareDirectory directory = new SoftwareDirectory(path, owner);
        directory.handOver(path);
        return directory;
    }

    Path path() {
        return path;
    }

    /** Writes a file that only the owner can read. */
    Path write(String name, String text) throws IOException {
        Path file = Files.writeString(path.resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        handOver(file);
        return file;
    }

    private void handOver(Path file) throws IOException {
        if (owner != null) {
            Files.setOwner(file, owner);
        }
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(path)) {
            List<Path> all = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : all) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new AssertionError("cannot delete " + path, e);
        }
    }
}

package io.parley.bench.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Copies and deletes temporary directories. */
public final class TemporaryDirectories {

    private TemporaryDirectories() {}

    /** Copies the content of one directory into another. */
    static void copy(Path from, Path to) throws IOException {
        List<Path> all;
        try (Stream<Path> tree = Files.walk(from)) {
            all = tree.filter(path -> !path.equals(from)).toList(); // a directory precedes its content
        }
        for (Path path : all) {
            Files.copy(path, to.resolve(from.relativize(path)), StandardCopyOption.COPY_ATTRIBUTES);
        }
    }

    /**
     * Deletes a directory and its content, as far as possible: a process that ends may still write there, and the operating system
     * clears its folder for temporary files.
     */
    public static void delete(Path directory) {
        List<Path> all;
        try (Stream<Path> tree = Files.walk(directory)) {
            all = tree.sorted(Comparator.reverseOrder()).toList();
        } catch (IOException | UncheckedIOException changed) {
            return;
        }
        for (Path path : all) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException left) {
                // a directory that is no longer empty
            }
        }
    }
}

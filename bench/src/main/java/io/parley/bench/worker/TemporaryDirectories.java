package io.parley.bench.worker;

import java.io.IOException;
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

    /** Deletes a directory and its content. */
    public static void delete(Path directory) throws IOException {
        List<Path> all;
        try (Stream<Path> tree = Files.walk(directory)) {
            all = tree.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.deleteIfExists(path);
        }
    }
}

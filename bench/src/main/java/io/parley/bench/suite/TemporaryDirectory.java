package io.parley.bench.suite;

import io.parley.bench.worker.TemporaryDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A temporary directory that is deleted when it is closed. */
final class TemporaryDirectory implements AutoCloseable {

    private final Path path;

    TemporaryDirectory() throws IOException {
        path = Files.createTempDirectory("parley-bench");
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        TemporaryDirectories.delete(path);
    }
}

package io.parley.bench.suite;

import io.parley.bench.worker.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder that is gone when it is closed. */
final class ScratchFolder implements AutoCloseable {

    private final Path path;

    ScratchFolder() throws IOException {
        path = Files.createTempDirectory("parley-bench");
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        Folders.delete(path);
    }
}

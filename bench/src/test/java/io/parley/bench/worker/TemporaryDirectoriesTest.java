package io.parley.bench.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TemporaryDirectoriesTest {

    @TempDir
    private Path folder = Path.of("");

    @Test
    void delete_removesTheDirectoryAndItsContent() throws IOException {
        Path home = Files.createDirectories(folder.resolve("home/run")).getParent();
        Files.writeString(home.resolve("run/data"), "x");

        TemporaryDirectories.delete(home);

        assertThat(home).doesNotExist();
    }

    @Test
    void delete_directoryThatAnotherProcessHasDeleted_isNoFailure() {
        assertThatCode(() -> TemporaryDirectories.delete(folder.resolve("gone")))
                .doesNotThrowAnyException();
    }
}

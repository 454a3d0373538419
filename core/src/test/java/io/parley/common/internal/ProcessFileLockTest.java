package io.parley.common.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessFileLockTest {

    private static final int REFUSED = 3;

    private Path file;

    @BeforeEach
    void createFile(@TempDir Path directory) throws IOException {
        file = Files.createFile(directory.resolve("lock"));
    }

    private boolean canAcquire() throws IOException {
        ProcessFileLock acquired = ProcessFileLock.tryAcquire(file);
        if (acquired != null) {
            acquired.close();
        }
        return acquired != null;
    }

    private boolean canAnotherProcessAcquire() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Acquirer.class.getName(),
                        file.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        int exitCode = process.waitFor();
        assertThat(exitCode).isIn(0, REFUSED);
        return exitCode == 0;
    }

    /** A process that tries to lock a file. */
    static final class Acquirer {
        private Acquirer() {}

        public static void main(String[] args) throws IOException {
            @Nullable ProcessFileLock acquired = ProcessFileLock.tryAcquire(Path.of(args[0]));
            System.exit(acquired == null ? REFUSED : 0);
        }
    }

    @Test
    void lock_isExclusiveUntilItsClose() throws Exception {
        try (ProcessFileLock acquired = ProcessFileLock.tryAcquire(file)) {
            assertThat(acquired).isNotNull();
            assertThat(canAcquire()).isFalse();
            assertThat(canAnotherProcessAcquire()).isFalse();
        }
        assertThat(canAcquire()).isTrue();
        assertThat(canAnotherProcessAcquire()).isTrue();
    }

    /** As if this class had been loaded twice. */
    @Test
    void lockOfOtherCodeInThisProcess_isRespectedAndStays() throws Exception {
        try (FileChannel other = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock held = other.lock()) {
            assertThat(held.isValid()).isTrue();
            assertThat(canAcquire()).isFalse();
            assertThat(canAcquire()).isFalse();
            assertThat(canAnotherProcessAcquire()).isFalse();
        }
        try (ProcessFileLock acquired = ProcessFileLock.tryAcquire(file)) {
            assertThat(acquired).isNotNull();
            assertThat(canAnotherProcessAcquire()).isFalse();
        }
    }
}

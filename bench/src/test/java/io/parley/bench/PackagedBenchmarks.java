package io.parley.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.worker.TemporaryDirectories;
import io.parley.bench.worker.WorkerMain;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes the processes of the suites run the packaged benchmarks, as users do. All of them use one class archive, which saves a third of
 * the processor time of a short process. A test that runs before the benchmarks are packaged uses the classes alone.
 */
public final class PackagedBenchmarks {

    /** The jar; {@code null} if the benchmarks are not packaged. */
    private static final @Nullable String JAR = System.getProperty("parley.benchmarks.jar");

    static {
        if (JAR != null) {
            System.setProperty("java.class.path", JAR); // the class path of every process that a suite starts
            createClassArchive(Path.of(JAR), Path.of(System.getProperty("parley.benchmarks.archive")));
        }
    }

    private PackagedBenchmarks() {}

    /** Applies to all suites that run in this JVM. */
    public static void use() {
        // The initialization of the class does it once.
    }

    /** Creates the archive if it is missing or older than the jar. The lock ensures that only one of the JVMs that run the tests does. */
    private static void createClassArchive(Path jar, Path archive) {
        try (FileChannel file = FileChannel.open(
                        archive.resolveSibling("workers.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = file.lock()) {
            assertThat(lock.isValid()).isTrue();
            if (Files.exists(archive)
                    && Files.getLastModifiedTime(archive).compareTo(Files.getLastModifiedTime(jar)) > 0) {
                return;
            }
            Files.deleteIfExists(archive);
            Path home = Files.createTempDirectory("parley-bench");
            Process process = startServer(jar, archive, home);
            try (BufferedReader replies = process.inputReader()) {
                assertThat(replies.readLine()).as("reply of a serving process").startsWith("@bench ready");
                process.getOutputStream().close(); // ends the process, which writes the archive
                assertThat(process.waitFor(1, TimeUnit.MINUTES))
                        .as("the serving process ends")
                        .isTrue();
            } finally {
                process.destroyForcibly();
                TemporaryDirectories.delete(home);
            }
            assertThat(archive).isNotEmptyFile();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("cannot create " + archive, e);
        }
    }

    private static Process startServer(Path jar, Path archive, Path home) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xlog:disable",
                        "-XX:ArchiveClassesAtExit=" + archive,
                        "-cp",
                        jar.toString(),
                        WorkerMain.class.getName(),
                        "serve",
                        "parley-pipe-tls",
                        "0",
                        home.toString()))
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().remove("JDK_JAVA_OPTIONS"); // it names the archive, which does not exist yet
        return builder.start();
    }
}

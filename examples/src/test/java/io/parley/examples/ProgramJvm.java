package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The command line of JVMs that run a class with the packaged program on their class path, whose class archive halves the cost of a
 * start. A test that runs before the program is packaged uses the classes alone.
 */
public final class ProgramJvm {

    /** The system property with the launcher of the packaged program. */
    public static final String LAUNCHER_PROPERTY = "parley.launcher";

    /** The launcher; {@code null} if the program is not packaged. */
    static final @Nullable String LAUNCHER = System.getProperty(LAUNCHER_PROPERTY);

    static {
        if (LAUNCHER != null) {
            createClassArchive(LAUNCHER);
        }
    }

    private ProgramJvm() {}

    /**
     * Starts the launcher once. It then creates its class archive. The lock ensures that only one of the JVMs that run the tests
     * creates it.
     */
    private static void createClassArchive(String launcher) {
        try (FileChannel file = FileChannel.open(
                        Path.of("target", "launcher.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = file.lock()) {
            assertThat(lock.isValid()).isTrue();
            ProcessBuilder builder = new ProcessBuilder(launcher, "--version").inheritIO();
            builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
            assertThat(builder.start().waitFor())
                    .as("exit code of the launcher")
                    .isZero();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("cannot start " + launcher, e);
        }
    }

    /** Returns the path of the command {@code java} and the options for a class path that begins with the program. */
    public static List<String> java(String furtherClassPath) {
        List<String> line = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        String program = System.getProperty("java.class.path");
        if (LAUNCHER != null) {
            Path target = Path.of(LAUNCHER).resolveSibling(Path.of("examples", "target"));
            program = target.resolve("parley.jar").toString();
            line.add(
                    "-XX:SharedArchiveFile=" + target.resolve("parley-" + System.getProperty("java.version") + ".jsa"));
            line.add("-Xlog:disable"); // if the archive does not fit
        }
        if (Runtime.version().feature() >= 24) {
            line.add("--enable-native-access=ALL-UNNAMED");
        }
        line.add("-Dio.netty.jfr.enabled=false"); // as the launcher does, for a faster start
        line.addAll(List.of("-cp", program + File.pathSeparator + furtherClassPath));
        return line;
    }
}

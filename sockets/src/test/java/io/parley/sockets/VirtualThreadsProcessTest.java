package io.parley.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A thousand sockets of virtual threads on one carrier thread: none pins it, and all finish. */
@Tag("process")
class VirtualThreadsProcessTest {

    /** The JDK from which on a monitor does not pin. */
    private static final int JDK = 25;

    @Test
    void aThousandVirtualThreads_onOneCarrier_pinNothing(@TempDir Path folder) throws Exception {
        Assumptions.assumeTrue(Runtime.version().feature() >= JDK, "JDK " + JDK);
        File output = folder.resolve("output").toFile();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        VirtualThreadsProcess.class.getName(),
                        "1000",
                        "5")
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        try {
            assertThat(process.waitFor(110, TimeUnit.SECONDS))
                    .as("the process ends")
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(output).content(StandardCharsets.UTF_8).contains("pinned: 0");
    }
}

package io.parley.transport.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A transport without a free file descriptor. The limit belongs to a process, so another process has to reach it. */
@DisabledOnOs(OS.WINDOWS)
class UdpOpenFilesTest {

    /** More files than the classes of the process are in. */
    private static final int MAX_OPEN_FILES = 256;

    @Test
    void start_withoutAFreeFileDescriptor_fails_andTheNextSucceeds() throws IOException {
        UdpSettings settings = TestChannel.settings();
        List<String> command = List.of(
                "sh",
                "-c",
                "ulimit -n " + MAX_OPEN_FILES + "; exec \"$0\" \"$@\"",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                OpenFilesProcess.class.getName(),
                settings.group4().getHostAddress(),
                settings.group6().getHostAddress(),
                String.valueOf(settings.port()));
        Process process = new ProcessBuilder(command).inheritIO().start();
        try {
            assertThat(Eventually.get(process.onExit(), "the end of the process")
                            .exitValue())
                    .isZero();
        } finally {
            process.destroyForcibly();
        }
    }
}

package io.parley.examples.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.parley.examples.ProgramJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Attacks from many IPv6 addresses, in a network namespace of their own. Skipped where a user cannot create one. */
@Tag("process")
@Tag("attack")
@Timeout(120)
class Ipv6AttackProcessTest {

    private static final String NAMESPACE = "ip link set lo up && ip -6 route add local " + Ipv6AttackProcess.NETWORK
            + " dev lo && echo 1 > /proc/sys/net/ipv6/ip_nonlocal_bind && exec \"$@\"";

    @Test
    void silentSockets_ofOneNetworkOf64Bits_leaveRoomForOthers(@TempDir Path directory) throws Exception {
        assumeTrue(isAvailable(), "a network namespace with IPv6");
        List<String> command = ProgramJvm.java(System.getProperty("java.class.path"));
        String launcher = System.getProperty(ProgramJvm.LAUNCHER_PROPERTY);
        if (launcher != null) {
            command.add("-D" + ProgramJvm.LAUNCHER_PROPERTY + "=" + launcher);
        }
        command.addAll(List.of(
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                Ipv6AttackProcess.class.getName(),
                directory.toString()));
        Process attack = inNamespace(command.toArray(String[]::new));
        String output = new String(attack.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(attack.waitFor()).as(output).isZero();
    }

    private static boolean isAvailable() throws InterruptedException {
        try {
            Process process = inNamespace("true");
            process.getInputStream().readAllBytes();
            return process.waitFor() == 0;
        } catch (IOException e) {
            return false; // there is no such program
        }
    }

    private static Process inNamespace(String... command) throws IOException {
        List<String> all = new ArrayList<>(List.of("unshare", "-rn", "sh", "-c", NAMESPACE, "sh"));
        all.addAll(List.of(command));
        return new ProcessBuilder(all).redirectErrorStream(true).start();
    }
}

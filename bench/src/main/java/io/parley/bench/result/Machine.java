package io.parley.bench.result;

import io.parley.bench.netty.NettyIo;
import io.parley.bench.netty.TlsContextFactory;
import io.parley.bench.worker.CpuPinner;
import io.parley.bench.worker.Placement;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The properties of a machine and its JVM that influence the figures.
 *
 * @param placement the processors of the two processes of a pair
 */
public record Machine(
        int cpus,
        String cpu,
        String kernel,
        String jvm,
        String tcpCongestionControl,
        String nettyTransport,
        String tlsEngine,
        Placement placement,
        double loadAverage) {

    /** Returns the current properties of this machine. */
    public static Machine here() {
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                cpuModel(),
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                text(Path.of("/proc/sys/net/ipv4/tcp_congestion_control")),
                NettyIo.best().label(),
                TlsContextFactory.label(),
                CpuPinner.placement(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static String cpuModel() {
        return text(Path.of("/proc/cpuinfo"))
                .lines()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown");
    }

    private static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException unavailable) {
            return "unknown";
        }
    }
}

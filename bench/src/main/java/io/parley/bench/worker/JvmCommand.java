package io.parley.bench.worker;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.bytebuddy.ByteBuddy;
import org.HdrHistogram.Histogram;

/** Builds the command that starts a child JVM, with the same flags for all. */
final class JvmCommand {

    private static final int NATIVE_ACCESS_SINCE = 24;

    /** The collector and the size of the heap. */
    static final List<String> DEFAULT_HEAP = List.of("-XX:+UseG1GC", "-Xms256m", "-Xmx2g");

    private JvmCommand() {}

    /** @param ownJars the class path in addition to the benchmark code; if empty, the runner's class path is used */
    static List<String> command(List<Path> ownJars) {
        return command(ownJars, DEFAULT_HEAP);
    }

    /** Returns the command for a JVM with the options {@code heap} for its collector and heap. */
    static List<String> command(List<Path> ownJars, List<String> heap) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(heap);
        command.add("-Dio.netty.leakDetection.level=disabled");
        command.add("-Dio.grpc.netty.shaded.io.netty.leakDetection.level=disabled"); // gRPC has a Netty of its own
        if (Runtime.version().feature() >= NATIVE_ACCESS_SINCE) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.add("-cp");
        command.add(classPath(ownJars));
        return command;
    }

    private static String classPath(List<Path> ownJars) {
        if (ownJars.isEmpty()) {
            return System.getProperty("java.class.path");
        }
        Stream<Path> benchmarkJars = Stream.of(JvmCommand.class, Histogram.class, ByteBuddy.class)
                .map(JvmCommand::location)
                .distinct();
        return Stream.concat(ownJars.stream(), benchmarkJars)
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Path location(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException("code source of " + type + ": not a file path", impossible);
        }
    }
}

package io.parley.bench.worker;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Places the two processes of a pair on processors with the Linux command {@code taskset}, as {@code --placement} requests.
 * Without it, latency jumps between two values, depending on the processors that the scheduler selects for the two processes.
 */
public final class CpuPinner {

    private static final int ALL = Runtime.getRuntime().availableProcessors();

    private static volatile Placement placement = Placement.ANY;

    private CpuPinner() {}

    /** Sets the placement of processes that start later. Returns whether this machine supports it. */
    public static boolean place(Placement requested) {
        boolean supported = isSupported(requested);
        placement = supported ? requested : Placement.ANY;
        return supported;
    }

    private static boolean isSupported(Placement requested) {
        return switch (requested) {
            case ANY -> true;
            case APART -> ALL >= 2 && hasTaskset();
            case TOGETHER -> hasTaskset();
        };
    }

    private static boolean hasTaskset() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "taskset")));
    }

    /** Returns the placement of processes that start now. */
    public static Placement placement() {
        return placement;
    }

    /** Returns the command prefix that places the serving or the connecting process of a pair. */
    static List<String> prefix(boolean server) {
        return prefix(placement, server, ALL);
    }

    /**
     * Returns the options of the JVM of a process. A process that is alone on one processor behaves as on a larger machine:
     * with one processor, event loops would not spin.
     */
    static List<String> jvmOptions() {
        return jvmOptions(placement, ALL);
    }

    static List<String> jvmOptions(Placement placement, int processors) {
        return placement == Placement.APART && processors / 2 < 2 ? List.of("-XX:ActiveProcessorCount=2") : List.of();
    }

    static List<String> prefix(Placement placement, boolean server, int processors) {
        int half = processors / 2;
        int last = processors - 1;
        return switch (placement) {
            case ANY -> List.of();
            case APART -> List.of("taskset", "-c", server ? "0-" + (half - 1) : half + "-" + last);
            case TOGETHER -> List.of("taskset", "-c", Integer.toString(last));
        };
    }
}

package io.parley.bench.worker;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Pins each side of a pair to half of the processors with the Linux command {@code taskset}, if {@code --pin} is given.
 * Without pinning, latency jumps between two values, depending on the processors that the scheduler selects for the two
 * processes. With pinning, every message includes the cost of waking another processor.
 */
public final class CpuPinner {

    private static final int ALL = Runtime.getRuntime().availableProcessors();

    private static volatile boolean enabled;

    private CpuPinner() {}

    /** Enables pinning for processes that start later, if this machine supports it. */
    public static void pin() {
        enabled = true;
    }

    /** Returns whether each side has processors of its own. */
    public static boolean pinned() {
        return enabled
                && ALL >= 2
                && Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "taskset")));
    }

    /** Returns the command prefix that pins the serving or the connecting side; empty without pinning. */
    static List<String> prefix(boolean server) {
        if (!pinned()) {
            return List.of();
        }
        String cores = server ? "0-" + (ALL / 2 - 1) : (ALL / 2) + "-" + (ALL - 1);
        return List.of("taskset", "-c", cores);
    }
}

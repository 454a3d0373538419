package io.parley.bench.worker;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Gives each side of a pair half of the processors, by Linux's {@code taskset}, when {@code --pin} asks for it. Without
 * that, latency jumps between two values, depending on where the scheduler happens to put the two processes for a while;
 * with it, every message pays for waking another processor.
 */
public final class CpuPinner {

    private static final int ALL = Runtime.getRuntime().availableProcessors();

    private static volatile boolean wanted;

    private CpuPinner() {}

    /** From now on, sides get processors of their own if that is possible here. */
    public static void pin() {
        wanted = true;
    }

    /** Whether sides have processors of their own. */
    public static boolean pinned() {
        return wanted
                && ALL >= 2
                && Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "taskset")));
    }

    /** What to put in front of a command, for the serving side or the other. */
    static List<String> prefix(boolean server) {
        if (!pinned()) {
            return List.of();
        }
        String cores = server ? "0-" + (ALL / 2 - 1) : (ALL / 2) + "-" + (ALL - 1);
        return List.of("taskset", "-c", cores);
    }
}

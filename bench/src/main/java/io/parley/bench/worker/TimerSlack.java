package io.parley.bench.worker;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Lets the timers of a process expire on time. Linux delays them by up to 50 µs otherwise, so that a thread could not send a
 * message every 30 µs.
 */
final class TimerSlack {

    private static final Path SHELL = Path.of("/bin/sh");
    private static final Path SLACK = Path.of("/proc/self/timerslack_ns");
    private static final String SCRIPT = "{ echo 1 > " + SLACK + "; } 2>/dev/null; exec \"$@\"";

    private TimerSlack() {}

    /** Returns the command prefix; empty on other systems. */
    static List<String> prefix() {
        return Files.isExecutable(SHELL) && Files.exists(SLACK)
                ? List.of(SHELL.toString(), "-c", SCRIPT, "bench")
                : List.of();
    }
}

package io.parley.testkit;

import java.util.Set;
import java.util.stream.Collectors;

/** Tells whether the threads that were started since it was made have ended. */
public final class ThreadWatch {

    private static final String PREFIX = "parley-";

    private final Set<Thread> before = parleyThreads();

    /** Waits until no thread of Parley's runs that did not when this was made. */
    public void untilGone() {
        Eventually.until(
                () -> "threads still run: " + started(), () -> started().isEmpty());
    }

    /** The threads of Parley's that have been started since, and still run. */
    public Set<Thread> started() {
        Set<Thread> now = parleyThreads();
        now.removeAll(before);
        return now;
    }

    private static Set<Thread> parleyThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(PREFIX) && thread.isAlive())
                .collect(Collectors.toSet());
    }
}

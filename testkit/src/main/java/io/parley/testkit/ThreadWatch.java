package io.parley.testkit;

import java.util.Set;
import java.util.stream.Collectors;

/** Tracks the Parley threads that were started after its creation. */
public final class ThreadWatch {

    private static final String PREFIX = "parley-";

    private final Set<Thread> before = parleyThreads();

    /** Waits until no Parley thread runs that was started after the creation of this object. */
    public void untilGone() {
        Eventually.until(() -> "running threads: " + started(), () -> started().isEmpty());
    }

    /** Returns the Parley threads that were started after the creation of this object and still run. */
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

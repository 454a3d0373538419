package io.parley.testkit;

import java.util.Set;
import java.util.stream.Collectors;

/** Tracks the threads of Parley that are started after its creation. */
public final class ThreadWatch {

    private static final String PREFIX = "parley-";

    private final Set<Thread> before = parleyThreads();

    /** Waits until all threads of Parley that were started since the creation of this object have ended. */
    public void untilGone() {
        Eventually.until(() -> "running threads: " + started(), () -> started().isEmpty());
    }

    /** Returns the running threads of Parley that were started since the creation of this object. */
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

package io.parley.bench.worker;

import io.parley.bench.operation.PeerStack;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Provides the environment of each run of a {@link MeasuredPeerProcess}, and reuses it if its peers can serve more than
 * one run. Not thread-safe.
 */
public final class EnvironmentProvider implements AutoCloseable {

    /** The delay after a start, because new processes are still busy with JIT compilation. */
    private static final Duration SETTLE_DELAY = Duration.ofSeconds(1);

    private final PeerStack stack;
    private final PeerEnvironment environment;
    private final Path logs;
    private @Nullable EnvironmentProcesses current;

    /** Creates a provider without starting a process. */
    public EnvironmentProvider(PeerStack stack, PeerEnvironment environment, Path logs) {
        this.stack = stack;
        this.environment = environment;
        this.logs = logs;
    }

    /** Returns the environment of the next run. The caller must no longer use the environment returned before. */
    public EnvironmentProcesses next() throws IOException, WorkerException, InterruptedException {
        EnvironmentProcesses processes = current;
        return processes == null || !stack.neighboursStay() ? restart() : processes;
    }

    /** Starts a new environment for the next run and closes the previous one. */
    public EnvironmentProcesses restart() throws IOException, WorkerException, InterruptedException {
        close();
        EnvironmentProcesses processes = EnvironmentProcesses.start(stack, environment, logs);
        current = processes;
        TimeUnit.NANOSECONDS.sleep(SETTLE_DELAY.toNanos());
        return processes;
    }

    /** Starts the process of the measured peer. */
    public MeasuredPeerProcess startMeasuredPeer() throws IOException, WorkerException, InterruptedException {
        return MeasuredPeerProcess.start(stack, environment, logs);
    }

    @Override
    public void close() {
        if (current != null) {
            current.close();
            current = null;
        }
    }
}

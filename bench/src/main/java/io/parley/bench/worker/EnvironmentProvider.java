package io.parley.bench.worker;

import io.parley.bench.operation.PeerStack;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A neighbourhood for each {@link MeasuredPeerProcess}'s next life: the same one, where it can serve more than one. Not thread-safe. */
public final class EnvironmentProvider implements AutoCloseable {

    /** Processes that have just started still compile what they have done. */
    private static final Duration SETTLING = Duration.ofSeconds(1);

    private final PeerStack stack;
    private final PeerEnvironment surroundings;
    private final Path logs;
    private @Nullable EnvironmentProcesses current;

    /** Starts nothing yet. */
    public EnvironmentProvider(PeerStack stack, PeerEnvironment surroundings, Path logs) {
        this.stack = stack;
        this.surroundings = surroundings;
        this.logs = logs;
    }

    /** For the next life; what was given out before is not to be used any more. */
    public EnvironmentProcesses next() throws IOException, WorkerException, InterruptedException {
        EnvironmentProcesses around = current;
        return around == null || !stack.neighboursStay() ? fresh() : around;
    }

    /** A new one for the next life. */
    public EnvironmentProcesses fresh() throws IOException, WorkerException, InterruptedException {
        close();
        EnvironmentProcesses around = EnvironmentProcesses.start(stack, surroundings, logs);
        current = around;
        TimeUnit.NANOSECONDS.sleep(SETTLING.toNanos());
        return around;
    }

    /** Starts the process of the one that is timed. */
    public MeasuredPeerProcess resident() throws IOException, WorkerException, InterruptedException {
        return MeasuredPeerProcess.start(stack, surroundings, logs);
    }

    @Override
    public void close() {
        if (current != null) {
            current.close();
            current = null;
        }
    }
}

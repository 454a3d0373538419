package io.parley.bench.worker;

import io.parley.bench.operation.Stack;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A neighbourhood for each {@link Resident}'s next life: the same one, where it can serve more than one. Not thread-safe. */
public final class Neighbours implements AutoCloseable {

    private final Stack stack;
    private final Surroundings surroundings;
    private final Path logs;
    private @Nullable Neighbourhood current;

    /** Starts nothing yet. */
    public Neighbours(Stack stack, Surroundings surroundings, Path logs) {
        this.stack = stack;
        this.surroundings = surroundings;
        this.logs = logs;
    }

    /** For the next life; what was given out before is not to be used any more. */
    public Neighbourhood next() throws IOException, WorkerException, InterruptedException {
        Neighbourhood around = current;
        if (around == null || !stack.neighboursStay()) {
            close();
            around = Neighbourhood.start(stack, surroundings, logs);
            current = around;
        }
        return around;
    }

    /** Starts the process of the one that is timed. */
    public Resident resident() throws IOException, WorkerException, InterruptedException {
        return Resident.start(stack, surroundings, logs);
    }

    @Override
    public void close() {
        if (current != null) {
            current.close();
            current = null;
        }
    }
}

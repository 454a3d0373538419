package io.parley.examples.forward;

import io.parley.examples.console.FailureFormatter;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Prints failures of single connections for the user. Prints at most {@value #MAX_LINES} lines in ten seconds, because a program may
 * connect again and again, and counts the others. Thread-safe.
 */
public final class ConnectionLog {

    static final int MAX_LINES = 10;

    private static final long INTERVAL_NANOS = Duration.ofSeconds(10).toNanos();

    private final Consumer<String> output;
    private final LongSupplier nanoTime;
    private long startNanos;
    private int lines;
    private long omitted;

    /** @param output prints one line */
    public ConnectionLog(Consumer<String> output) {
        this(output, System::nanoTime);
    }

    ConnectionLog(Consumer<String> output, LongSupplier nanoTime) {
        this.output = output;
        this.nanoTime = nanoTime;
        this.startNanos = nanoTime.getAsLong();
    }

    /** Prints what has failed, and why. */
    public void failed(String what, Throwable reason) {
        print(what + ": " + FailureFormatter.sentence(reason));
    }

    /** Prints a line, unless there were too many. */
    public synchronized void print(String line) {
        long now = nanoTime.getAsLong();
        if (now - startNanos >= INTERVAL_NANOS) {
            startNanos = now;
            lines = 0;
        }
        if (lines >= MAX_LINES) {
            omitted++;
            return;
        }
        lines++;
        output.accept(omitted == 0 ? line : line + " (and " + omitted + " more lines)");
        omitted = 0;
    }
}

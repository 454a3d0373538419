package io.parley.examples.console;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Prints a line every few seconds, for logs and redirected output. Prints nothing for a shorter task. */
final class ProgressLog implements Progress {

    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final Console console;
    private final String task;
    private final long totalBytes;
    private final LongSupplier nanoTime;
    private final long started;
    private long lastLine;
    private long done;
    private long moved;

    ProgressLog(Console console, String task, long totalBytes, LongSupplier nanoTime) {
        this.console = console;
        this.task = task;
        this.totalBytes = totalBytes;
        this.nanoTime = nanoTime;
        this.started = nanoTime.getAsLong();
        this.lastLine = started;
    }

    @Override
    public void advance(long bytes) {
        moved += bytes;
        skip(bytes);
    }

    @Override
    public void skip(long bytes) {
        done += bytes;
        long now = nanoTime.getAsLong();
        if (now - lastLine >= INTERVAL.toNanos()) {
            lastLine = now;
            console.remark(task + ": " + TextFormatter.bytes(done) + " of " + TextFormatter.bytes(totalBytes) + ", "
                    + TextFormatter.rate(moved, Duration.ofNanos(now - started)));
        }
    }

    @Override
    public void close() {}
}

package io.parley.examples;

import io.parley.examples.console.Console;
import io.parley.examples.console.Progress;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.transfer.FileReceiver;
import io.parley.examples.transfer.FileSender;
import org.jspecify.annotations.Nullable;

/** Displays the progress of a transfer, for the sender and for the receiver. */
final class TransferDisplay implements FileSender.Listener, FileReceiver.Listener, AutoCloseable {

    private final Console console;
    private final String task;
    private @Nullable Progress progress;
    private long transferred;
    private long skipped;
    private long total;

    TransferDisplay(Console console, String task) {
        this.console = console;
        this.task = task;
    }

    @Override
    public void started(String title, long files, long bytes) {
        console.remark(TextFormatter.oneLine(title) + ": " + TextFormatter.count(files, "file") + ", "
                + TextFormatter.bytes(bytes));
        total = bytes;
        progress = Progress.of(console, task, bytes);
    }

    @Override
    public void sent(long bytes) {
        transferred += bytes;
        if (progress != null) {
            progress.advance(bytes);
        }
    }

    @Override
    public void received(long bytes) {
        sent(bytes);
    }

    @Override
    public void skipped(long bytes) {
        skipped += bytes;
        if (progress != null && bytes > 0) {
            progress.skip(bytes);
        }
    }

    /** Returns the number of bytes that were transferred so far. */
    long transferred() {
        return transferred;
    }

    /** Returns the number of bytes that the receiver had already. */
    long skipped() {
        return skipped;
    }

    /** Returns the size of all files in bytes, or 0 if it is not known yet. */
    long total() {
        return total;
    }

    @Override
    public void close() {
        if (progress != null) {
            progress.close();
            progress = null;
        }
    }
}

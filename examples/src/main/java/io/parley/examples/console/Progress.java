package io.parley.examples.console;

/** Displays the progress of a long task. Not thread-safe. */
public interface Progress extends AutoCloseable {

    /** Adds bytes that were transferred. */
    void advance(long bytes);

    /** Adds bytes that need no transfer, because the receiver has them already. */
    void skip(long bytes);

    /** Ends the display. */
    @Override
    void close();

    /** Returns a progress bar if the console is a terminal, otherwise a progress log. */
    static Progress of(Console console, String task, long totalBytes) {
        return console.hasTerminal()
                ? new ConsoleProgressBar(console.remarkStream(), task, totalBytes)
                : new ProgressLog(console, task, totalBytes, System::nanoTime);
    }
}

package io.parley.examples.console;

/** How far a long piece of work has come. Used by one thread. */
public interface Progress extends AutoCloseable {

    /** So much more has been done. */
    void advance(long bytes);

    /** So much less is left to do: it turned out to be there already. */
    void skip(long bytes);

    /** Ends the display. */
    @Override
    void close();

    /** A bar where somebody looks at a terminal, else a line now and then. */
    static Progress of(Console console, String task, long totalBytes) {
        return console.hasTerminal()
                ? new ConsoleProgressBar(console.remarks(), task, totalBytes)
                : new ProgressLog(console, task, totalBytes, System::nanoTime);
    }
}

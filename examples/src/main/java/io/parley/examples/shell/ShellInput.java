package io.parley.examples.shell;

import io.parley.examples.console.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The input and output of a shell. */
public interface ShellInput extends AutoCloseable {

    /**
     * The words that the tab key completes.
     *
     * @param commands the words at the start of a line
     * @param names    the words after the first one
     */
    record Completions(Set<String> commands, Set<String> names) {}

    /** Returns the next line, or {@code null} at the end of the input. */
    @Nullable
    String read(String prompt) throws IOException;

    /** Returns the console for all output. Any thread may print, also while a line is being typed. */
    Console console();

    @Override
    void close();

    /**
     * Returns a line editor on a terminal, otherwise the plain standard input and output.
     *
     * @param completions the words that the tab key completes
     * @param history     the file for the typed lines; {@code null} to discard them
     */
    static ShellInput of(Console console, Supplier<Completions> completions, @Nullable Path history)
            throws IOException {
        return console.canAsk() ? TerminalInput.ofProcess(completions, history) : new PlainInput(console, System.in);
    }
}

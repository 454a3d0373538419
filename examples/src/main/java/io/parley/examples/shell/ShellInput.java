package io.parley.examples.shell;

import io.parley.examples.console.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where commands come from and their words go. */
public interface ShellInput extends AutoCloseable {

    /** The next line, or null at the end of the input. */
    @Nullable
    String read(String prompt) throws IOException;

    /** For everything that is to be said, by any thread, also while a line is being typed. */
    Console console();

    @Override
    void close();

    /**
     * A line editor on a terminal, else the plain standard input and output.
     *
     * @param history where the editor's lines are kept for the next time; null to forget them
     */
    static ShellInput of(Console console, Supplier<Completions> vocabulary, @Nullable Path history) throws IOException {
        return console.hasTerminal()
                ? TerminalInput.ofProcess(vocabulary, history)
                : new PlainInput(console, System.in);
    }
}

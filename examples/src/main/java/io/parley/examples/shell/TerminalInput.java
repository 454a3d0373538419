package io.parley.examples.shell;

import io.parley.examples.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jline.reader.Candidate;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.ParsedLine;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;

/** Edits a line on a terminal, with completion and history. Output appears above the line that is being typed. */
final class TerminalInput implements ShellInput {

    private final Terminal terminal;
    private final LineReader reader;
    private final Console console;

    /**
     * Reads lines from a terminal.
     *
     * @param terminal    the terminal; takes ownership
     * @param completions the words that the tab key completes
     * @param history     the file for the typed lines; {@code null} to discard them
     */
    TerminalInput(Terminal terminal, Supplier<Completions> completions, @Nullable Path history) {
        this.terminal = terminal;
        LineReaderBuilder builder = LineReaderBuilder.builder()
                .terminal(terminal)
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .completer((line, typed, candidates) -> complete(typed, completions.get(), candidates));
        if (history != null) {
            builder.variable(LineReader.HISTORY_FILE, history);
        }
        reader = builder.build();
        PrintStream above = new PrintStream(new LineOutputStream(reader::printAbove), true, StandardCharsets.UTF_8);
        console = new Console(above, above, false, true);
    }

    /** Reads lines from the terminal of this process. */
    static TerminalInput ofProcess(Supplier<Completions> completions, @Nullable Path history) throws IOException {
        return new TerminalInput(TerminalBuilder.builder().system(true).build(), completions, history);
    }

    private static void complete(ParsedLine typed, Completions completions, List<Candidate> candidates) {
        (typed.wordIndex() == 0 ? completions.commands() : completions.names())
                .forEach(word -> candidates.add(new Candidate(word)));
    }

    @Override
    public @Nullable String read(String prompt) {
        try {
            return reader.readLine(prompt);
        } catch (EndOfFileException | UserInterruptException e) {
            return null;
        }
    }

    @Override
    public Console console() {
        return console;
    }

    @Override
    public void close() {
        try {
            terminal.close();
        } catch (IOException e) {
            // The process ends in any case.
        }
    }

    /** Passes complete lines to a consumer. */
    static final class LineOutputStream extends OutputStream {
        private final Consumer<String> lines;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        LineOutputStream(Consumer<String> lines) {
            this.lines = lines;
        }

        @Override
        public synchronized void write(int octet) {
            if (octet == '\n') {
                lines.accept(line.toString(StandardCharsets.UTF_8));
                line.reset();
            } else if (octet != '\r') {
                line.write(octet);
            }
        }
    }
}

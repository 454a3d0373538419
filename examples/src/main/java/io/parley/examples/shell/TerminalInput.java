package io.parley.examples.shell;

import io.parley.examples.console.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
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

/** For people: lines with completion and history; what comes in appears above the one that is being typed. */
final class TerminalInput implements ShellInput {

    private final Terminal terminal;
    private final LineReader reader;
    private final Console console;

    /**
     * Takes lines from a terminal.
     *
     * @param terminal is closed with this
     * @param history  where lines are kept for the next time; null to forget them
     */
    TerminalInput(Terminal terminal, Supplier<Completions> vocabulary, @Nullable Path history) {
        this.terminal = terminal;
        LineReaderBuilder builder = LineReaderBuilder.builder()
                .terminal(terminal)
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .completer((line, typed, candidates) -> complete(typed, vocabulary.get(), candidates));
        if (history != null) {
            builder.variable(LineReader.HISTORY_FILE, history);
        }
        reader = builder.build();
        PrintStream above = new PrintStream(new LineOutputStream(reader::printAbove), true, StandardCharsets.UTF_8);
        console = new Console(above, above, false, true);
    }

    /** Same, from the terminal of this process. */
    static TerminalInput ofProcess(Supplier<Completions> vocabulary, @Nullable Path history) throws IOException {
        return new TerminalInput(TerminalBuilder.builder().system(true).build(), vocabulary, history);
    }

    private static void complete(ParsedLine typed, Completions words, List<Candidate> candidates) {
        (typed.wordIndex() == 0 ? words.commands() : words.names())
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
            // The process ends anyway.
        }
    }
}
